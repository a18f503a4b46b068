// Runs a user's SQL so that nothing it says can write.
#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/store/database/sql_guard.h"
#include "harness/store/store.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct Finalizer {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, Finalizer>;

constexpr std::size_t kMostResultBytes = std::size_t{2} << 30U;

constexpr std::array<std::string_view, 14> kReadingPragmas{"application_id",
                                                           "collation_list",
                                                           "compile_options",
                                                           "foreign_key_check",
                                                           "foreign_key_list",
                                                           "function_list",
                                                           "index_info",
                                                           "index_list",
                                                           "integrity_check",
                                                           "quick_check",
                                                           "table_info",
                                                           "table_list",
                                                           "table_xinfo",
                                                           "user_version"};

// Pragmas that read; some of them write when given a value.
bool is_reading_pragma(const char* name, const char* value) {
  const std::string_view text = name;
  const bool is_known =
      std::find(kReadingPragmas.begin(), kReadingPragmas.end(), text) != kReadingPragmas.end();
  return is_known && (value == nullptr || (text != "application_id" && text != "user_version"));
}

// SQLite's authorizer: asked once per thing a statement would do, while it is compiled.
int authorize_reading(void* denied,
                      int action,
                      const char* first,
                      const char* second,
                      const char* /*database*/,
                      const char* /*view*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      if (second != nullptr && is_reading_function(second)) {
        return SQLITE_OK;
      }
      *static_cast<std::string*>(denied) =
          "the function " + std::string(second == nullptr ? "" : second) + " is not allowed";
      return SQLITE_DENY;
    case SQLITE_PRAGMA:
      if (first != nullptr && is_reading_pragma(first, second)) {
        return SQLITE_OK;
      }
      break;
    case SQLITE_UPDATE:
      // Asked when a table-valued function (json_each) is used for the first time: SQLite declares
      // its columns by an UPDATE that is never run. A user's own UPDATE is refused as not
      // read-only.
      if (first != nullptr && std::string_view(first) == "sqlite_master") {
        return SQLITE_OK;
      }
      break;
    default:
      break;
  }
  *static_cast<std::string*>(denied) =
      "this statement would write or change settings; only reading is allowed";
  return SQLITE_DENY;
}

// Keeps the authorizer in place while a statement is compiled and run (SQLite may compile it again,
// and pragma functions compile as they run). The store's own statements are not asked about.
class ReadingOnly {
 public:
  explicit ReadingOnly(sqlite3* handle) : handle_(handle) {
    sqlite3_set_authorizer(handle_, authorize_reading, &denied_);
  }
  ~ReadingOnly() { sqlite3_set_authorizer(handle_, nullptr, nullptr); }
  ReadingOnly(const ReadingOnly&) = delete;
  ReadingOnly& operator=(const ReadingOnly&) = delete;

  // Why the statement was refused; "" when it was not.
  const std::string& denied() const { return denied_; }

 private:
  sqlite3* handle_;
  std::string denied_;
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, "query: " + message);
}

std::vector<std::string> names_by(sqlite3* handle, const char* sql) {
  std::vector<std::string> names;
  sqlite3_exec(
      handle,
      sql,
      [](void* list, int, char** values, char**) {
        static_cast<std::vector<std::string>*>(list)->emplace_back(values[0]);
        return 0;
      },
      &names,
      nullptr);
  return names;
}

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "''" : std::string(1, c);
  }
  return quoted + "'";
}

// What a misspelt table or column may have meant, in parentheses; where nothing is near, all tables
// for a table and "" for a column.
// - at: the statement from there on. What it has in double quotes may be a text.
std::string meant(sqlite3* handle, const std::string& message, std::string_view at) {
  constexpr std::string_view no_table = "no such table: ";
  constexpr std::string_view no_column = "no such column: ";
  const bool is_column = message.starts_with(no_column);
  if (!is_column && !message.starts_with(no_table)) {
    return "";
  }
  const std::string whole = message.substr((is_column ? no_column : no_table).size());
  const bool is_quoted = is_column && at.starts_with("\"" + whole + "\"");
  const std::string name =
      is_quoted ? whole : message.substr(std::max(message.rfind('.') + 1, message.rfind(' ') + 1));
  const std::vector<std::string> names = names_by(
      handle,
      is_column ? "SELECT DISTINCT c.name FROM sqlite_schema s, pragma_table_info(s.name) c "
                  "WHERE s.type = 'view' ORDER BY 1"
                : "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
                  "AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name");
  if (is_column && std::find(names.begin(), names.end(), name) != names.end()) {
    const std::vector<std::string> views = names_by(
        handle,
        ("SELECT s.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'view' "
         "AND c.name = '" +
         name + "' ORDER BY 1")
            .c_str());
    return " (it is a column of " + join(views, ", ") + ")";
  }
  const std::string close = name.empty() ? "" : closest_match(name, names);
  return (!close.empty() ? " (did you mean " + close + "?)"
          : is_column    ? ""
                         : "; there are: " + join(names, ", ")) +
         (is_quoted ? "; a text has single quotes: " + sql_text(name) : "");
}

// SQLite's message with the line and a mark where it found the fault, if it says where.
[[noreturn]] void refuse_with_position(sqlite3* handle, const std::string& sql, std::size_t start) {
  std::string message = sqlite3_errmsg(handle);
  const int offset = sqlite3_error_offset(handle);
  const bool has_place = offset >= 0 && start + static_cast<std::size_t>(offset) <= sql.size();
  const std::size_t place = has_place ? start + static_cast<std::size_t>(offset) : sql.size();
  message += meant(handle, message, std::string_view(sql).substr(place));
  if (has_place) {
    const std::size_t before = place == 0 ? std::string::npos : sql.rfind('\n', place - 1);
    const std::size_t line_start = before == std::string::npos ? 0 : before + 1;
    const auto line =
        std::count(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(place), '\n') + 1;
    message += " (line " + std::to_string(line) + ", column " +
               std::to_string(place - line_start + 1) + ")\n  " +
               sql.substr(line_start, sql.find('\n', place) - line_start) + "\n  " +
               std::string(place - line_start, ' ') + '^';
  }
  refuse(message);
}

// The one statement of `sql`, compiled.
StatementHandle prepare(sqlite3* handle, const ReadingOnly& guard, const std::string& sql) {
  StatementHandle result;
  const char* rest = sql.c_str();
  const char* const end = sql.c_str() + sql.size();
  while (rest < end) {
    const auto start = static_cast<std::size_t>(rest - sql.c_str());
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v2(handle, rest, static_cast<int>(end - rest), &raw, &rest);
    StatementHandle statement(raw);
    if (result && (code != SQLITE_OK || statement)) {
      refuse("more than one statement; run them one by one");
    }
    if (!guard.denied().empty()) {
      refuse(guard.denied());
    }
    if (code != SQLITE_OK) {
      refuse_with_position(handle, sql, start);
    }
    if (statement) {
      result = std::move(statement);
    } else if (rest < end && *rest == '\0') {
      break;  // SQLite stops at a NUL
    }
  }
  if (!result) {
    refuse("no statement");
  }
  if (sqlite3_stmt_readonly(result.get()) == 0) {
    refuse("this statement would write; only reading is allowed");
  }
  return result;
}

void bind(sqlite3_stmt* statement, const std::vector<Field>& parameters) {
  const int count = sqlite3_bind_parameter_count(statement);
  if (count != static_cast<int>(parameters.size())) {
    std::string names;
    for (int index = 1; index <= count; ++index) {
      const char* raw = sqlite3_bind_parameter_name(statement, index);
      const std::string name = raw == nullptr ? "?" : raw;
      if (parameters.empty() || name != ":study") {  // the only name that callers have a value for
        names += (names.empty() ? "" : ", ") + name;
      }
    }
    refuse(names.empty() ? "values were given, but the statement has no parameters"
                         : "no value for " + names);
  }
  int index = 0;
  for (const Field& field : parameters) {
    ++index;
    if (const auto* integer = std::get_if<std::int64_t>(&field)) {
      sqlite3_bind_int64(statement, index, *integer);
    } else if (const auto* real = std::get_if<double>(&field)) {
      sqlite3_bind_double(statement, index, *real);
    } else if (const auto* text = std::get_if<std::string>(&field)) {
      sqlite3_bind_text64(
          statement, index, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
  }
}

Field read_field(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::monostate{};
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    default:
      break;
  }
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
  return bytes == nullptr
             ? std::string()
             : std::string(bytes,
                           static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

}  // namespace

QueryResult Store::query(const std::string& sql,
                         const std::vector<Field>& parameters,
                         double most_s) const {
  sqlite3* handle = database_->getHandle();
  const ReadingOnly guard(handle);
  const SqlBudget budget(handle, SystemClock().monotonic_s() + most_s);
  const StatementHandle statement = prepare(handle, guard, sql);
  bind(statement.get(), parameters);
  QueryResult result;
  const int columns = sqlite3_column_count(statement.get());
  for (int column = 0; column < columns; ++column) {
    result.columns.emplace_back(sqlite3_column_name(statement.get(), column));
  }
  std::size_t bytes = 0;
  int code = sqlite3_step(statement.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
    std::vector<Field>& row = result.rows.emplace_back();
    bytes += sizeof(std::vector<Field>);
    for (int column = 0; column < columns; ++column) {
      row.push_back(read_field(statement.get(), column));
      const auto* text = std::get_if<std::string>(&row.back());
      bytes += sizeof(Field) + (text == nullptr ? 0 : text->size());
    }
    if (bytes > kMostResultBytes) {
      refuse(
          "its result is larger than 2 GiB; ask for fewer rows, or let the sqlite3 program print "
          "them");
    }
  }
  if ((code & 0xff) == SQLITE_INTERRUPT) {
    refuse(fmt::format(
        "it runs longer than {:g} s; `scalestudy query --timeout SECONDS` allows more", most_s));
  }
  if (code != SQLITE_DONE) {
    const std::string exceeded = SqlBudget::exceeded(code);
    refuse(exceeded.empty() ? sqlite3_errmsg(handle) : exceeded);
  }
  return result;
}

}  // namespace scalestudy
