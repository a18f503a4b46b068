// What an entry is called, and which values it stands for.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/check/ledger.h"
#include "harness/audit/figure/quantity.h"
#include "harness/audit/figure/unit.h"
#include "harness/text/text.h"

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

bool says_scaling(const Conditions& conditions, std::string_view kind) {
  const auto found = conditions.find("scaling");
  if (found == conditions.end()) {
    return false;
  }
  const std::string& said = found->second;
  return std::equal(said.begin(), said.end(), kind.begin(), kind.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

Base base_of(const Entry& entry, const Entry& target) {
  const bool is_elsewhere = entry.table != nullptr && entry.table != target.table;
  return {(is_elsewhere ? entry.figure.table + ": " : "") + name_of(entry),
          entry.figure.figure.printed,
          entry.figure.where,
          entry.figure.place};
}

namespace {

// Whether the column's cells, or the end of its heading, print a unit that the dimension lacks.
bool has_foreign_unit(const Table& table, std::size_t column, Dimension dimension) {
  const auto is_foreign = [&](const std::string& unit) {
    return !unit.empty() && !unit_scale(unit, dimension);
  };
  std::string unit;
  RE2::PartialMatch(table.columns[column].heading, R"([(\[]([^)\]]+)[)\]]\s*$)", &unit);
  return is_foreign(unit) ||
         std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
           return is_foreign(row[column].figure.unit);
         });
}

// Whether no formula reads the column and it may hold the quantity. Prices may have been read as
// money, but one that names no device may be that of a machine of several.
bool may_hold(const Table& table, std::size_t c, const QuantityInfo& wanted) {
  const Column& column = table.columns[c];
  const QuantityInfo& info = *find_quantity(column.declared.quantity);
  if (!info.is_free || column.declared.follows || wanted.is_condition ||
      wanted.dimension == Dimension::kRatio) {
    return false;
  }
  if (info.dimension == Dimension::kOther) {
    return !has_foreign_unit(table, c, wanted.dimension);
  }
  if (info.dimension == Dimension::kMoney && wanted.dimension == Dimension::kPrice) {
    return wanted.name != "price_per_device_hour" ||
           RE2::PartialMatch(column.heading + " " + column.name,
                             "(?i)gpu|device|accelerator|chip|tpu");
  }
  return info.dimension == wanted.dimension;
}

// Without what is below the least that the quantity can be.
Range physical(const std::string& quantity, Range range) {
  const QuantityInfo* info = find_quantity(quantity);
  if (info != nullptr && info->least && range.hi >= *info->least) {
    range.lo = std::max(range.lo, *info->least);
  }
  return range;
}

// With the size of a message in powers of 1024 as well: nccl-tests means MiB by "128M".
Range physical_message(const std::string& quantity, const Figure& figure, Range range) {
  if (quantity == "message_bytes") {
    const double largest = figure.value.value_or(0.0) * binary_excess(figure.unit_size);
    range.hi = std::max(range.hi, largest);
  }
  return physical(quantity, range);
}

}  // namespace

std::string or_declare(const std::string& quantity, const Entry& target) {
  constexpr std::size_t most_named = 3;
  const QuantityInfo* wanted = find_quantity(quantity);
  std::vector<std::string> names;
  if (target.table != nullptr && wanted != nullptr) {
    for (std::size_t c = 0; c < target.table->columns.size(); ++c) {
      if (names.size() < most_named && may_hold(*target.table, c, *wanted)) {
        names.push_back(target.table->columns[c].name);
      }
    }
  }
  return names.empty() ? ""
                       : fmt::format(", or, if {} holds it, declare it so (`quantity: {}`): {}",
                                     names.size() == 1 ? "this column" : "one of these columns",
                                     quantity,
                                     join(names, ", "));
}

Range physical_range(const std::string& quantity, const Figure& figure) {
  return physical_message(quantity, figure, *figure.range);
}

Range physical_cut_off_range(const std::string& quantity, const Figure& figure) {
  return physical_message(quantity, figure, cut_off_range(figure));
}

}  // namespace scalestudy::audit
