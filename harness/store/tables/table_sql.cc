#include "harness/store/tables/table_sql.h"

#include <algorithm>

namespace scalestudy::sql {

std::string insert_text(const Table& table, const std::string& leading) {
  const auto count =
      table.columns.size() + static_cast<std::size_t>(std::ranges::count(leading, ','));
  return std::string("INSERT INTO ") + table.name + "(" + leading + table.column_names() +
         ") VALUES (" + placeholders(count) + ")";
}

std::string upsert_text(const Table& table, const std::string& leading, const std::string& key) {
  std::string changes;
  for (const Column& column : table.columns) {
    const std::string name = column.name;
    changes += (changes.empty() ? "" : ", ") + name + " = excluded." + name;
  }
  return insert_text(table, leading) + " ON CONFLICT (" + key + ") DO UPDATE SET " + changes;
}

std::string select_text(const Table& table, const std::string& rest) {
  return std::string("SELECT ") + (table.id_offset ? "id, " : "") + table.column_names() +
         " FROM " + table.name + " " + rest;
}

void run_with(Statement& statement, const Table& table, const void* row) {
  for (const Column& column : table.columns) {
    statement.add(column.value(row));
  }
  statement.run();
}

void read_row(const Statement& statement, int first, const Table& table, void* row) {
  for (const Column& column : table.columns) {
    statement.read_field(first++, column, row);
  }
}

void read_row_with_id(const Statement& statement, const Table& table, void* row) {
  if (table.id_offset) {
    statement.read_from(0,
                        *static_cast<std::int64_t*>(
                            static_cast<void*>(static_cast<char*>(row) + *table.id_offset)));
  }
  read_row(statement, table.id_offset ? 1 : 0, table, row);
}

}  // namespace scalestudy::sql
