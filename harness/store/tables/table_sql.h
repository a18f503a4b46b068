// SQL statements from the columns of a row struct.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/store/tables/columns.h"
#include "harness/store/tables/sql.h"

namespace scalestudy::sql {

// SQL that inserts a row, with `leading` columns before its own, e.g. "study_id, ".
template <typename Row>
std::string insert_text(const std::string& leading = "") {
  const auto count = kColumnCount<Row> + static_cast<std::size_t>(std::ranges::count(leading, ','));
  return "INSERT INTO " + std::string(Table<Row>::name) + "(" + leading + column_names<Row>() +
         ") VALUES (" + placeholders(count) + ")";
}

// SQL that inserts a row, or updates all columns of the row that has the same `key`.
template <typename Row>
std::string upsert_text(const std::string& leading, const std::string& key) {
  std::string changes;
  for_each_column<Row>([&](const auto& column) {
    const std::string name = column.name;
    changes += (changes.empty() ? "" : ", ") + name + " = excluded." + name;
  });
  return insert_text<Row>(leading) + " ON CONFLICT (" + key + ") DO UPDATE SET " + changes;
}

// Binds the row's fields after the parameters already bound, and runs the statement.
template <typename Row>
void run_with(Statement& statement, const Row& row) {
  std::apply([&](const auto&... fields) { (statement.add(fields), ...); }, fields_of(row));
  statement.run();
}

// Reads the row's fields from the columns from `first` on.
template <typename Row>
void read_row(const Statement& statement, int first, Row& row) {
  std::apply([&](auto&... fields) { statement.read_from(first, fields...); }, fields_of(row));
}

// Reads all rows that `rest` selects, with their id if the struct has one.
// - rest: "WHERE study_id = ? ORDER BY id", with its parameters.
template <typename Row, typename... Values>
std::vector<Row> read_rows(const SQLite::Database& database,
                           const std::string& rest,
                           const Values&... parameters) {
  constexpr bool has_id = requires(Row row) {
    row.id;
  };
  Statement select(database,
                   std::string("SELECT ") + (has_id ? "id, " : "") + column_names<Row>() +
                       " FROM " + Table<Row>::name + " " + rest);
  std::vector<Row> rows;
  for (select.bind(parameters...); select.step();) {
    Row& row = rows.emplace_back();
    if constexpr (has_id) {
      select.read_from(0, row.id);
    }
    read_row(select, has_id ? 1 : 0, row);
  }
  return rows;
}

}  // namespace scalestudy::sql
