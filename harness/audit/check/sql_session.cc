// SQLite with an authorizer and a limit of steps.
#include "harness/audit/check/sql_session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "harness/audit/figure/quantity.h"
#include "harness/base/clock.h"
#include "harness/store/database/sql_guard.h"

namespace scalestudy::audit {
namespace {

constexpr std::int64_t kMostSteps = 100'000'000;  // some seconds
constexpr double kMostSeconds = 20.0;             // only a slow machine needs more for these steps
constexpr int kMostTextBytes = 100'000;

// Functions that read something else than their arguments.
constexpr auto kRefusedFunctions = std::to_array<std::string_view>({"random",
                                                                    "randomblob",
                                                                    "date",
                                                                    "time",
                                                                    "datetime",
                                                                    "julianday",
                                                                    "unixepoch",
                                                                    "strftime",
                                                                    "timediff",
                                                                    "current_date",
                                                                    "current_time",
                                                                    "current_timestamp"});

std::string_view text_of(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

}  // namespace

class SqlSession::Database {
 public:
  Database(const Dataset& dataset, double most_seconds)
      : most_seconds_(most_seconds),
        last_s_(SystemClock().monotonic_s() + most_seconds),
        database_(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
    for (const Table& table : dataset.tables) {
      create(table);
    }
    database_.exec("CREATE TABLE statements(id TEXT, value REAL)");
    watch_.tables.insert("statements");
    for (const auto& statement : dataset.statements) {
      SQLite::Statement insert(database_, "INSERT INTO statements VALUES(?, ?)");
      insert.bind(1, statement.id);
      insert.bind(2, stand_in(statement.figure));
      insert.exec();
    }
    sqlite3* handle = database_.getHandle();
    harden(handle);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostTextBytes);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  }

  std::string compile(const std::string& sql, int row) {
    const double now_s = SystemClock().monotonic_s();
    if (now_s >= last_s_) {
      return fmt::format("the dataset's SQL has run for {} s, which is the most", most_seconds_);
    }
    steps_left_ = kMostSteps;
    deadline_s_ = now_s + kMostSeconds;
    std::string error;
    statement_ = prepare(sql, error);
    if (!error.empty()) {
      return error;
    }
    const int parameter = sqlite3_bind_parameter_index(statement_.get(), ":row");
    if (sqlite3_bind_parameter_count(statement_.get()) != (parameter == 0 ? 0 : 1) ||
        (parameter != 0 && row == 0)) {
      return "the only parameter there is is :row, in the rule of a column";
    }
    if (parameter != 0) {
      sqlite3_bind_int(statement_.get(), parameter, row);
    }
    return "";
  }

  std::optional<double> run(std::string& error) {
    sqlite3* handle = database_.getHandle();
    sqlite3_stmt* statement = statement_.get();
    const SqlBudget budget(handle, deadline_s_, steps_left_);
    std::optional<double> value;
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) {
      error = "it gives no row; one value is required";
    } else if (code != SQLITE_ROW) {
      error = SqlBudget::exceeded(code);
      error = error.empty() ? sqlite3_errmsg(handle) : error;
    } else {
      const int type = sqlite3_column_type(statement, 0);
      if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
        value = sqlite3_column_double(statement, 0);
      } else if (type != SQLITE_NULL) {
        error = "it gives text; a number is required";
      }
      if (error.empty() && sqlite3_step(statement) == SQLITE_ROW) {
        error = "it gives more than one row; one value is required";
      }
    }
    sqlite3_reset(statement);
    steps_left_ = budget.steps_left();
    if (!error.empty() || (value && !std::isfinite(*value))) {
      return std::nullopt;
    }
    return value;
  }

  bool is_exhausted() const { return steps_left_ < 0; }

  bool is_read(const Entry& entry) const {
    const PrintedFigure& figure = entry.figure;
    return entry.table != nullptr ? watch_.reads.contains({figure.table, figure.column})
                                  : watch_.reads.contains({"statements", "value"});
  }

  void set(const Entry& entry, double value) {
    const PrintedFigure& figure = entry.figure;
    SQLite::Statement& update = entry.table != nullptr ? update_of(figure.table, figure.column)
                                                       : update_of("statements", "value");
    update.bind(1, value);
    if (entry.table != nullptr) {
      update.bind(2, figure.row);
    } else {
      update.bind(2, figure.column);
    }
    update.exec();
    update.reset();
  }

 private:
  // What the authorizer is asked about and what it has seen.
  struct Watch {
    std::set<std::string, std::less<>> tables;
    std::set<std::pair<std::string, std::string>> reads;  // table, column
    std::string refused;
  };

  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using StatementHandle = std::unique_ptr<sqlite3_stmt, Finalizer>;

  static int authorize(void* context,
                       int action,
                       const char* first,
                       const char* second,
                       const char* /*database*/,
                       const char* /*view*/) {
    Watch& watch = *static_cast<Watch*>(context);
    if (action == SQLITE_SELECT || action == SQLITE_RECURSIVE) {
      return SQLITE_OK;
    }
    if (action == SQLITE_READ) {
      if (watch.tables.contains(text_of(first))) {
        watch.reads.emplace(text_of(first), text_of(second));
        return SQLITE_OK;
      }
      // A name of WITH is asked about when none of its columns is read (count(*)).
      if (!text_of(first).starts_with("sqlite_") && text_of(second).empty()) {
        return SQLITE_OK;
      }
      watch.refused =
          fmt::format("it reads {}, which is not a table of the dataset", text_of(first));
      return SQLITE_DENY;
    }
    if (action == SQLITE_FUNCTION) {
      const std::string_view name = text_of(second);
      if (is_reading_function(name) &&
          std::find(kRefusedFunctions.begin(), kRefusedFunctions.end(), name) ==
              kRefusedFunctions.end()) {
        return SQLITE_OK;
      }
      watch.refused = fmt::format("{}() depends on more than the dataset", name);
      return SQLITE_DENY;
    }
    if (watch.refused.empty()) {
      watch.refused = "it would do more than read the dataset's tables";
    }
    return SQLITE_DENY;
  }

  void create(const Table& table) {
    std::string columns = "row INTEGER PRIMARY KEY";
    std::string places = "?";
    for (const Column& column : table.columns) {
      const bool is_text = find_quantity(column.declared.quantity)->dimension == Dimension::kLabel;
      columns += fmt::format(", {} {}", quoted(column.name), is_text ? "TEXT" : "REAL");
      places += ", ?";
    }
    database_.exec(fmt::format("CREATE TABLE {}({})", quoted(table.name), columns));
    watch_.tables.insert(table.name);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      SQLite::Statement insert(
          database_, fmt::format("INSERT INTO {} VALUES({})", quoted(table.name), places));
      insert.bind(1, static_cast<std::int64_t>(r) + 1);
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Cell& cell = table.rows[r][c];
        const int index = static_cast<int>(c) + 2;
        if (cell.figure.range) {
          insert.bind(index, stand_in(cell.figure));
        } else if (!cell.label.empty()) {
          insert.bind(index, cell.label);
        }
      }
      insert.exec();
    }
  }

  // The one statement of `sql`, compiled under the authorizer.
  StatementHandle prepare(const std::string& sql, std::string& error) {
    sqlite3* handle = database_.getHandle();
    watch_.reads.clear();
    watch_.refused.clear();
    sqlite3_set_authorizer(handle, authorize, &watch_);
    sqlite3_stmt* raw = nullptr;
    const char* rest = nullptr;
    const int code =
        sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &raw, &rest);
    sqlite3_set_authorizer(handle, nullptr, nullptr);
    StatementHandle statement(raw);
    const std::string_view tail(rest, static_cast<std::size_t>(sql.data() + sql.size() - rest));
    if (!watch_.refused.empty()) {
      error = watch_.refused;
    } else if (code != SQLITE_OK) {
      error = sqlite3_errmsg(handle);
    } else if (!statement) {
      error = "there is no statement";
    } else if (tail.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
      error = "there is more than one statement";
    } else if (sqlite3_stmt_readonly(statement.get()) == 0) {
      error = "it would write";
    } else if (sqlite3_column_count(statement.get()) != 1) {
      error = fmt::format("it gives {} columns; one value is required",
                          sqlite3_column_count(statement.get()));
    }
    return statement;
  }

  // Sets a number of the column. A search sets thousands, so each column is prepared only once.
  SQLite::Statement& update_of(const std::string& table, const std::string& column) {
    const auto [found, is_new] = updates_.try_emplace({table, column});
    if (is_new) {
      found->second =
          std::make_unique<SQLite::Statement>(database_,
                                              fmt::format("UPDATE {} SET {} = ? WHERE {} = ?",
                                                          quoted(table),
                                                          quoted(column),
                                                          table == "statements" ? "id" : "row"));
    }
    return *found->second;
  }

  double most_seconds_;
  double last_s_;  // beyond which nothing compiles
  SQLite::Database database_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<SQLite::Statement>> updates_;
  Watch watch_;
  StatementHandle statement_;
  std::int64_t steps_left_ = 0;
  double deadline_s_ = 0.0;
};

double stand_in(const Figure& figure) {
  if (figure.value) {
    return *figure.value;
  }
  if (figure.range->is_bounded()) {
    return (figure.range->lo + figure.range->hi) / 2.0;
  }
  return std::isfinite(figure.range->lo) ? figure.range->lo : figure.range->hi;
}

SqlSession::SqlSession(const Dataset& dataset, double most_seconds)
    : database_(std::make_unique<Database>(dataset, most_seconds)) {}

SqlSession::~SqlSession() = default;

std::string SqlSession::compile(const std::string& sql, int row) {
  return database_->compile(sql, row);
}

std::optional<double> SqlSession::run(std::string& error) {
  return database_->run(error);
}

bool SqlSession::is_exhausted() const {
  return database_->is_exhausted();
}

bool SqlSession::is_read(const Entry& entry) const {
  return database_->is_read(entry);
}

void SqlSession::set(const Entry& entry, double value) {
  database_->set(entry, value);
}

}  // namespace scalestudy::audit
