// Tables of CSV, from the columns that the store has.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/result_rows.h"
#include "harness/store/tables/columns.h"
#include "harness/text/csv_line.h"
#include "harness/text/number.h"

namespace scalestudy::report {

// A value as a field of CSV, with full precision; "" where it is absent, and 1 or 0 of a bool, as
// SQL has it. Ids of trials are separated by spaces.
inline std::string csv_text(const std::string& value) {
  return value;
}
inline std::string csv_text(double value) {
  return format_exact(value);
}
inline std::string csv_text(bool value) {
  return value ? "1" : "0";
}
inline std::string csv_text(std::integral auto value) {
  return std::to_string(value);
}
inline std::string csv_text(Worded auto value) {
  return to_word(value);
}
template <typename T>
std::string csv_text(const std::optional<T>& value) {
  return value ? csv_text(*value) : "";
}
std::string csv_text(const TrialIds& ids);
std::string csv_text(const AxisValues& values);
std::string stored_text(const ColumnValue& value);

template <typename Row>
struct CsvColumn {
  std::string name;
  std::function<std::string(const Row&)> text;
};

template <typename Row>
using CsvColumns = std::vector<CsvColumn<Row>>;

template <typename Row>
CsvColumns<Row> operator+(CsvColumns<Row> left, const CsvColumns<Row>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// All columns that the store has of a Row.
// - names: the CSV names of columns, by their names in the store; "" leaves a column out.
template <typename Row>
CsvColumns<Row> stored_columns(const std::map<std::string, std::string>& names = {}) {
  CsvColumns<Row> columns;
  for (const Column& column : table_of<Row>().columns) {
    const auto found = names.find(column.name);
    const std::string name = found == names.end() ? column.name : found->second;
    if (!name.empty()) {
      columns.push_back(
          {name, [&column](const Row& row) { return stored_text(column.value(&row)); }});
    }
  }
  return columns;
}

// Columns of a Part that belongs to each Row; their fields are empty where `part_of` returns
// nullptr.
template <typename Row, typename PartOf, typename Part>
CsvColumns<Row> columns_of(const PartOf& part_of, const CsvColumns<Part>& columns) {
  CsvColumns<Row> all;
  for (const CsvColumn<Part>& column : columns) {
    all.push_back({column.name, [part_of, text = column.text](const Row& row) {
                     const Part* part = part_of(row);
                     return part == nullptr ? "" : text(*part);
                   }});
  }
  return all;
}

// The first `count` columns that the store has of a cell: 2 end with the label, 3 with the role, 7
// with batch_per_device.
CsvColumns<CellRow> cell_columns(std::size_t count, const std::string& prefix = "");

// `columns` with `others` inserted after the column of that name, which must be there.
template <typename Row>
CsvColumns<Row> with_columns_after(CsvColumns<Row> columns,
                                   const std::string& name,
                                   const CsvColumns<Row>& others) {
  const auto at = std::ranges::find(columns, name, &CsvColumn<Row>::name);
  columns.insert(at + 1, others.begin(), others.end());
  return columns;
}

// A head line, and a line for each row that `is_shown`.
template <typename Row>
std::string csv_table(
    const CsvColumns<Row>& columns,
    const std::vector<Row>& rows,
    const std::function<bool(const Row&)>& is_shown = [](const Row&) { return true; }) {
  std::vector<std::string> fields;
  for (const CsvColumn<Row>& column : columns) {
    fields.push_back(column.name);
  }
  std::string text = csv_line(fields);
  for (const Row& row : rows) {
    if (is_shown(row)) {
      fields.clear();
      for (const CsvColumn<Row>& column : columns) {
        fields.push_back(column.text(row));
      }
      text += csv_line(fields);
    }
  }
  return text;
}

}  // namespace scalestudy::report
