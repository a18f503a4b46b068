// Tables as data: each row struct has one list of its columns, from which SQL, binding and CSV
// follow.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

namespace scalestudy {

template <typename Row, typename Field>
struct StoredColumn {
  const char* name;
  Field Row::*field;
};

template <typename Row, typename Field>
constexpr StoredColumn<Row, Field> column(const char* name, Field Row::*field) {
  return {name, field};
}

// Table<Row> holds the name of the table and its columns. They leave out an `id` that the database
// chooses, and the owner of a row if another row gives it: the study of a result, the trial of a
// log.
template <typename Row>
struct Table;

// Calls visit(column) for each column, in order.
template <typename Row, typename Visit>
constexpr void for_each_column(const Visit& visit) {
  std::apply([&](const auto&... columns) { (visit(columns), ...); }, Table<Row>::columns);
}

// References to the row's fields, in the order of its columns.
template <typename Row>
auto fields_of(Row& row) {
  return std::apply([&](const auto&... columns) { return std::tie(row.*columns.field...); },
                    Table<std::remove_const_t<Row>>::columns);
}

template <typename Row>
constexpr std::size_t kColumnCount = std::tuple_size_v<decltype(Table<Row>::columns)>;

// The names of all columns, in order: "name, title, hash".
template <typename Row>
std::string column_names() {
  std::string names;
  for_each_column<Row>(
      [&](const auto& column) { names += (names.empty() ? "" : ", ") + std::string(column.name); });
  return names;
}

}  // namespace scalestudy
