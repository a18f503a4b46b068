// SQL statements from the columns of a row struct.
#pragma once

#include <string>
#include <vector>

#include "harness/store/tables/columns.h"
#include "harness/store/tables/sql.h"

namespace scalestudy::sql {

std::string insert_text(const Table& table, const std::string& leading);
std::string upsert_text(const Table& table, const std::string& leading, const std::string& key);
std::string select_text(const Table& table, const std::string& rest);
void run_with(Statement& statement, const Table& table, const void* row);
void read_row(const Statement& statement, int first, const Table& table, void* row);
void read_row_with_id(const Statement& statement, const Table& table, void* row);

// SQL that inserts a row, with `leading` columns before its own, e.g. "study_id, ".
template <typename Row>
std::string insert_text(const std::string& leading = "") {
  return insert_text(table_of<Row>(), leading);
}

// SQL that inserts a row, or updates all columns of the row that has the same `key`.
template <typename Row>
std::string upsert_text(const std::string& leading, const std::string& key) {
  return upsert_text(table_of<Row>(), leading, key);
}

// Binds the row's fields after the parameters already bound, and runs the statement.
template <typename Row>
void run_with(Statement& statement, const Row& row) {
  run_with(statement, table_of<Row>(), &row);
}

// Reads the row's fields from the columns from `first` on.
template <typename Row>
void read_row(const Statement& statement, int first, Row& row) {
  read_row(statement, first, table_of<Row>(), &row);
}

// Reads all rows that `rest` selects, with their id if the struct has one.
// - rest: "WHERE study_id = ? ORDER BY id", with its parameters.
template <typename Row, typename... Values>
std::vector<Row> read_rows(const SQLite::Database& database,
                           const std::string& rest,
                           const Values&... parameters) {
  Statement select(database, select_text(table_of<Row>(), rest));
  std::vector<Row> rows;
  for (select.bind(parameters...); select.step();) {
    read_row_with_id(select, table_of<Row>(), &rows.emplace_back());
  }
  return rows;
}

}  // namespace scalestudy::sql
