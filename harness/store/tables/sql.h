// SQL statements and transactions for the fields of row structs; SQLite's headers stay in sql.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/store/tables/columns.h"
#include "harness/text/words.h"

namespace SQLite {
class Database;
class Statement;
class Transaction;
}  // namespace SQLite

namespace scalestudy::sql {

// Makes an Error{kStore} for a result code of SQLite: path, SQLite's message, and what to try.
Error store_error(const std::string& path, int code, const std::string& message);

// One prepared statement. Every failure of SQLite is thrown as store_error.
class Statement {
 public:
  Statement(const SQLite::Database& database, const std::string& text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Prepares the statement to run (again) with these parameters. Throws std::logic_error for a
  // double that is not finite: SQLite would silently store NaN as NULL.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    reset();
    (put(++index_, values), ...);
    return *this;
  }

  // Binds one more parameter, after those already bound.
  template <typename Value>
  void add(const Value& value) {
    put(++index_, value);
  }

  bool step();  // moves to the next row; false after the last

  // Runs a statement that returns no rows; returns the number of rows it changed.
  int run();

  // Reads the current row's columns from `first` on, in order, into `fields`.
  template <typename... Fields>
  void read_from(int first, Fields&... fields) const {
    (get(first++, fields), ...);
  }

  // Reads one column of the current row into its field of `row`, a row of the column's table.
  void read_field(int index, const Column& column, void* row) const;

 private:
  void reset();
  void put(int index, const ColumnValue& value);
  void put(int index, std::int64_t value);
  void put(int index, int value) { put(index, std::int64_t{value}); }
  void put(int index, bool value) { put(index, std::int64_t{value ? 1 : 0}); }
  void put(int index, double value);
  void put(int index, const std::string& value);
  void put(int index, const char* value) { put(index, std::string(value)); }
  void put(int index, const TrialIds& value);
  void put(int index, const AxisValues& value);
  void put(int index, std::uint64_t value) { put(index, std::to_string(value)); }
  template <Worded E>
  void put(int index, E value) {
    put(index, to_word(value));
  }
  void put_null(int index);
  template <typename T>
  void put(int index, const std::optional<T>& value) {
    if (value) {
      put(index, *value);
    } else {
      put_null(index);
    }
  }

  // Index among `words` of the word in a column. Throws Error{kStore} for an unknown word: another
  // program or a newer scalestudy wrote it.
  std::size_t word_index(int column, const std::vector<std::string>& words) const;
  [[noreturn]] void refuse_number(int column, std::int64_t number) const;
  bool is_null(int column) const;
  void get(int column, std::int64_t& field) const;
  void get(int column, int& field) const;
  void get(int column, bool& field) const;
  void get(int column, double& field) const;
  void get(int column, std::string& field) const;
  void get(int column, TrialIds& field) const;
  void get(int column, AxisValues& field) const;
  void get(int column, std::uint64_t& field) const;
  template <Worded E>
  void get(int column, E& field) const {
    field = static_cast<E>(word_index(column, words_of<E>()));
  }
  template <typename T>
  void get(int column, std::optional<T>& field) const {
    if (is_null(column)) {
      field.reset();
    } else {
      get(column, field.emplace());
    }
  }

  const SQLite::Database& database_;
  std::unique_ptr<SQLite::Statement> statement_;
  int index_ = 0;  // index of the parameter bound last
};

// Rolls back unless committed; within another one it is a part of that and ends nothing itself.
// Takes the write lock at once (BEGIN IMMEDIATE): nobody changes what it read before it writes.
class Transaction {
 public:
  explicit Transaction(SQLite::Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  SQLite::Database& database_;
  std::unique_ptr<SQLite::Transaction> transaction_;  // none within another one
};

// "?, ?, ?" for `count` parameters.
std::string placeholders(std::size_t count);

// Runs statements without parameters or rows, separated by ';'.
void execute(SQLite::Database& database, const std::string& text);

// Throws Error{kStore} if the file was removed, moved or replaced since it was opened: SQLite would
// go on writing to a file that nobody can open again.
void require_in_place(SQLite::Database& database);

// Runs a statement and returns the first column of its first row.
std::int64_t read_integer(const SQLite::Database& database, const std::string& text);
std::int64_t last_insert_id(const SQLite::Database& database);

}  // namespace scalestudy::sql
