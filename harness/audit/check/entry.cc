// What an entry is called, and which values it stands for.
#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/check/ledger.h"
#include "harness/audit/figure/quantity.h"

namespace scalestudy::audit {

bool Entry::is_same_group(const Entry& other) const {
  return figure.table == other.figure.table && figure.row == other.figure.row &&
         (table != nullptr || figure.column == other.figure.column);
}

std::string name_of(const Entry& entry) {
  const PrintedFigure& figure = entry.figure;
  if (entry.table == nullptr || find_quantity(figure.quantity)->is_condition) {
    return figure.column;
  }
  const Table& table = *entry.table;
  const std::size_t row_index = static_cast<std::size_t>(figure.row) - 1;
  const Conditions row = row_conditions(table, row_index);
  const auto count_rows = [&](const Conditions& named) {
    std::size_t count = 0;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      count += agree(row_conditions(table, r), named) ? 1U : 0U;
    }
    return count;
  };
  Conditions named;
  std::string name = figure.column;
  std::size_t rows_left = table.rows.size();
  for (std::size_t c = 0; c < table.columns.size() && rows_left > 1; ++c) {
    const std::string condition = condition_name(table.columns[c]);
    const auto value = row.find(condition);
    if (value == row.end()) {
      continue;
    }
    Conditions more = named;
    more[condition] = value->second;
    if (const std::size_t left = count_rows(more); left < rows_left) {
      rows_left = left;
      named = std::move(more);
      const Cell& cell = table.rows[row_index][c];
      name +=
          fmt::format(", {}={}", condition, cell.label.empty() ? cell.figure.printed : cell.label);
    }
  }
  return rows_left == 1 ? name : fmt::format("{}, row {}", name, figure.row);
}

Base base_of(const Entry& entry, const Entry& target) {
  const bool is_elsewhere = entry.table != nullptr && entry.table != target.table;
  return {(is_elsewhere ? entry.figure.table + ": " : "") + name_of(entry),
          entry.figure.figure.printed,
          entry.figure.where,
          entry.figure.place};
}

namespace {

// Without what is below the least that the quantity can be.
Range physical(const std::string& quantity, Range range) {
  const QuantityInfo* info = find_quantity(quantity);
  if (info != nullptr && info->least && range.hi >= *info->least) {
    range.lo = std::max(range.lo, *info->least);
  }
  return range;
}

}  // namespace

Range physical_range(const std::string& quantity, const Figure& figure) {
  return physical(quantity, *figure.range);
}

Range physical_cut_off_range(const std::string& quantity, const Figure& figure) {
  return physical(quantity, cut_off_range(figure));
}

}  // namespace scalestudy::audit
