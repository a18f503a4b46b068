#include "harness/store/tables/sql.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy::sql {
namespace {

const char* advice(int code) {
  switch (code & 0xff) {  // the primary code, without its extension
    case SQLITE_NOTADB:
      return "; the file is not a SQLite database: move it away, or choose another folder";
    case SQLITE_CORRUPT:
      return "; the file is damaged: copy what `sqlite3 results.db .recover` saves to a new folder";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "; check that the folder exists and that you may write to it, or choose another one. "
             "To copy a store that you may only read: `scalestudy export --all FOLDER`, then "
             "`scalestudy import FOLDER` with another --results";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another program is writing to it: try again when it has finished";
    case SQLITE_FULL:
      return "; make room on the disk and run again: what was stored is whole";
    case SQLITE_IOERR:
      return "; the disk is full or failed, or the network file system did: make room, or check "
             "them";
    default:
      return "";
  }
}

template <typename Action>
auto guarded(const SQLite::Database& database, const Action& action) {
  try {
    return action();
  } catch (const SQLite::Exception& error) {
    throw store_error(database.getFilename(), error.getErrorCode(), error.what());
  }
}

}  // namespace

Error store_error(const std::string& path, int code, const std::string& message) {
  return {ErrorKind::kStore, path + ": " + message + advice(code)};
}

Statement::Statement(const SQLite::Database& database, const std::string& text)
    : database_(database),
      statement_(
          guarded(database, [&] { return std::make_unique<SQLite::Statement>(database, text); })) {}

Statement::~Statement() = default;

bool Statement::step() {
  return guarded(database_, [this] { return statement_->executeStep(); });
}

int Statement::run() {
  return guarded(database_, [this] { return statement_->exec(); });
}

void Statement::reset() {
  guarded(database_, [this] {
    statement_->reset();
    statement_->clearBindings();
  });
  index_ = 0;
}

void Statement::put(int index, std::int64_t value) {
  guarded(database_, [&] { statement_->bind(index, value); });
}

// "[1,12,23]"
void Statement::put(int index, const TrialIds& value) {
  std::string text;
  for (const std::int64_t id : value) {
    text += (text.empty() ? "" : ",") + std::to_string(id);
  }
  put(index, "[" + text + "]");
}

void Statement::put(int index, const AxisValues& value) {
  std::string text;
  for (const double x : value) {
    text += (text.empty() ? "" : ",") + format_exact(x);
  }
  put(index, "[" + text + "]");
}

void Statement::put(int index, double value) {
  if (!std::isfinite(value)) {
    throw std::logic_error("parameter " + std::to_string(index) +
                           " is not finite in: " + statement_->getQuery());
  }
  guarded(database_, [&] { statement_->bind(index, value); });
}

void Statement::put(int index, const std::string& value) {
  guarded(database_, [&] { statement_->bind(index, value); });
}

void Statement::put_null(int index) {
  guarded(database_, [&] { statement_->bind(index); });
}

void Statement::put(int index, const ColumnValue& value) {
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          put_null(index);
        } else {
          put(index, held);
        }
      },
      value);
}

void Statement::read_field(int index, const Column& column, void* row) const {
  if (column.type->is_optional && is_null(index)) {
    column.set(row, {});
    return;
  }
  ColumnValue value = column.type->zero;
  std::visit(
      [&](auto& held) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          get(index, held);
        }
      },
      value);
  if (!column.set(row, std::move(value))) {
    if (column.type->words != nullptr) {
      word_index(index, column.type->words());  // throws
    }
    std::int64_t number = 0;
    get(index, number);
    refuse_number(index, number);
  }
}

bool Statement::is_null(int column) const {
  return statement_->getColumn(column).isNull();
}

void Statement::get(int column, std::int64_t& field) const {
  field = statement_->getColumn(column).getInt64();
}

void Statement::get(int column, int& field) const {
  const std::int64_t value = statement_->getColumn(column).getInt64();
  if (!std::in_range<int>(value)) {
    refuse_number(column, value);
  }
  field = static_cast<int>(value);
}

void Statement::get(int column, bool& field) const {
  field = statement_->getColumn(column).getInt64() != 0;
}

void Statement::get(int column, double& field) const {
  field = statement_->getColumn(column).getDouble();
}

void Statement::get(int column, std::string& field) const {
  field = statement_->getColumn(column).getString();
}

namespace {

// Of "[1,12,23]".
template <typename T>
std::vector<T> numbers_of(const std::string& stored) {
  std::vector<T> numbers;
  std::istringstream text(stored);
  T number{};
  for (char before = 0; text >> before >> number;) {  // '[' or ','
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

void Statement::get(int column, TrialIds& field) const {
  field = numbers_of<std::int64_t>(statement_->getColumn(column).getString());
}

void Statement::get(int column, AxisValues& field) const {
  field = numbers_of<double>(statement_->getColumn(column).getString());
}

void Statement::get(int column, std::uint64_t& field) const {
  const std::string text = statement_->getColumn(column).getString();
  const auto number = parse_whole<std::uint64_t>(text);
  if (!number) {
    throw Error(ErrorKind::kStore,
                database_.getFilename() + ": '" + text + "' is not an unsigned 64-bit number");
  }
  field = *number;
}

std::size_t Statement::word_index(int column, const std::vector<std::string>& words) const {
  const std::string word = statement_->getColumn(column).getString();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    throw Error(ErrorKind::kStore,
                database_.getFilename() + ": " + statement_->getColumnName(column) + " is '" +
                    word + "', which is none of " + join(words, ", ") +
                    "; another program changed it, or a newer scalestudy wrote it");
  }
  return static_cast<std::size_t>(found - words.begin());
}

void Statement::refuse_number(int column, std::int64_t number) const {
  throw Error(ErrorKind::kStore,
              database_.getFilename() + ": " + statement_->getColumnName(column) + " is " +
                  std::to_string(number) + ", more than it can be; another program changed it");
}

Transaction::Transaction(SQLite::Database& database) : database_(database) {
  if (sqlite3_get_autocommit(database.getHandle()) != 0) {
    transaction_ = guarded(database, [&] {
      return std::make_unique<SQLite::Transaction>(database,
                                                   SQLite::TransactionBehavior::IMMEDIATE);
    });
  }
}

Transaction::~Transaction() = default;

void Transaction::commit() {
  if (transaction_) {
    guarded(database_, [this] { transaction_->commit(); });
  }
}

std::string placeholders(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += i == 0 ? "?" : ", ?";
  }
  return text;
}

void execute(SQLite::Database& database, const std::string& text) {
  guarded(database, [&] { database.exec(text); });
}

void require_in_place(SQLite::Database& database) {
  int has_moved = 0;
  const int code =
      sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (code == SQLITE_OK && has_moved != 0) {
    throw Error(ErrorKind::kStore,
                database.getFilename() +
                    ": was removed or moved while it was in use; what was stored is where the file "
                    "is now. Put it back, or run again for a new one");
  }
}

std::int64_t read_integer(const SQLite::Database& database, const std::string& text) {
  Statement statement(database, text);
  if (!statement.step()) {
    throw std::logic_error("no row: " + text);
  }
  std::int64_t value = 0;
  statement.read_from(0, value);
  return value;
}

std::int64_t last_insert_id(const SQLite::Database& database) {
  return database.getLastInsertRowid();
}

}  // namespace scalestudy::sql
