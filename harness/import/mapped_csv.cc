// A CSV file whose columns mean what the user's map says.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/audit/dataset/read_cells.h"
#include "harness/audit/figure/quantity.h"
#include "harness/audit/figure/unit.h"
#include "harness/base/error.h"
#include "harness/import/readers.h"
#include "harness/import/tool_table.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct MapEntry {
  std::string column;
  std::string quantity;
  std::string unit;
};

[[noreturn]] void refuse(const std::string& entry, const std::string& message) {
  throw Error(ErrorKind::kUsage, fmt::format("--map {}: {}", entry, message));
}

// The last '=' separates: columns may be named "time [s]=..." but quantities have no '='.
MapEntry parse_entry(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    refuse(text, "column=quantity or column=quantity:unit is required");
  }
  const std::size_t colon = text.find(':', equals);
  MapEntry entry;
  entry.column = text.substr(0, equals);
  entry.quantity = text.substr(equals + 1, colon == std::string::npos ? colon : colon - equals - 1);
  entry.unit = colon == std::string::npos ? "" : text.substr(colon + 1);
  const audit::QuantityInfo* info = audit::find_quantity(entry.quantity);
  if (info == nullptr) {
    const std::string close = closest_match(entry.quantity, audit::quantity_names());
    refuse(text,
           fmt::format("\"{}\" is not a quantity{}; data/published/FORMAT.md lists them",
                       entry.quantity,
                       close.empty() ? "" : fmt::format(" (did you mean {}?)", close)));
  }
  if (!entry.unit.empty() && !audit::unit_scale(entry.unit, info->dimension)) {
    refuse(text,
           fmt::format("\"{}\" is not a unit of {} (base unit {})",
                       entry.unit,
                       entry.quantity,
                       audit::base_unit(info->dimension)));
  }
  return entry;
}

std::vector<std::string> head_names(const std::vector<audit::CsvField>& head) {
  std::vector<std::string> names;
  std::transform(
      head.begin(), head.end(), std::back_inserter(names), [](const audit::CsvField& field) {
        return field.text;
      });
  return names;
}

void check_columns(const std::vector<std::string>& column_map,
                   const std::vector<MapEntry>& entries,
                   const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto count = std::count(names.begin(), names.end(), entries[i].column);
    if (count != 1) {
      refuse(column_map[i],
             fmt::format("the file has {} named \"{}\"; its columns: {}",
                         count == 0 ? "no column" : "several columns",
                         entries[i].column,
                         join(names, ", ")));
    }
    const auto same = std::count_if(entries.begin(), entries.end(), [&](const MapEntry& entry) {
      return entry.column == entries[i].column;
    });
    if (same > 1) {
      refuse(column_map[i], "this column is mapped more than once");
    }
  }
}

// Columns that are not mapped are read as labels, which takes any text, and dropped afterwards.
void drop_unmapped(const std::vector<bool>& is_mapped, audit::Table& table) {
  const auto keep = [&](auto& list) {
    std::size_t kept = 0;
    for (std::size_t c = 0; c < is_mapped.size(); ++c) {
      if (is_mapped[c]) {
        std::swap(list[kept++], list[c]);
      }
    }
    list.resize(kept);
  };
  keep(table.columns);
  for (std::vector<audit::Cell>& row : table.rows) {
    keep(row);
  }
}

// What a ratio can be at most, so that a larger one is a percentage; absent if it may be anything.
std::optional<double> largest_ratio(const audit::QuantityInfo& info) {
  static const std::map<std::string_view, double> kOwn{{"efficiency", 3.0},  // superlinear
                                                       {"overhead", 3.0},    // over the computation
                                                       {"memory_share", 3.0},
                                                       {"memory_saving", 1.0},
                                                       {"saving", 1.0}};
  const auto own = kOwn.find(info.name);
  return own == kOwn.end() ? info.most : own->second;
}

// What no run can have is a mistake of the map or of the file. (Of a dataset `audit` says it.)
void refuse_impossible(const audit::Table& table, std::vector<Problem>& problems) {
  for (const std::vector<audit::Cell>& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const audit::QuantityInfo& info = *audit::find_quantity(table.columns[c].declared.quantity);
      const audit::Figure& figure = row[c].figure;
      const bool is_setting = info.is_condition && info.is_exact && figure.value;
      const bool is_count =
          !is_setting || (*figure.value >= 1.0 && std::floor(*figure.value) == *figure.value);
      const bool is_negative = figure.range && info.least && figure.range->hi < *info.least;
      if (!is_count || is_negative) {
        const char* rule = is_count ? "cannot be negative" : "is a whole number from 1";
        problems.push_back({row[c].place.line,
                            row[c].place.column,
                            fmt::format("{}: {} {}", figure.printed, info.name, rule)});
      }
      const std::optional<double> most = largest_ratio(info);
      if (most && figure.range && figure.unit.empty() && figure.range->lo > *most) {
        problems.push_back(
            {row[c].place.line,
             row[c].place.column,
             fmt::format("{0}: {1} without a unit is a ratio, and 1 is 100 %; if this is a "
                         "percentage, write --map \"{2}={1}:%\", else \"{2}={1}:x\"",
                         figure.printed,
                         info.name,
                         table.columns[c].name)});
      }
    }
  }
}

}  // namespace

void read_mapped_csv(const std::string& text,
                     const std::vector<std::string>& column_map,
                     ImportReading& reading) {
  const std::vector<std::vector<audit::CsvField>> lines = audit::parse_csv(text, reading.problems);
  if (!reading.problems.empty()) {
    return;
  }
  if (lines.empty()) {
    reading.problems.push_back({0, 0, "the file is empty; a head and one row are required"});
    return;
  }
  const std::vector<std::string> names = head_names(lines.front());
  if (column_map.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: say what its columns are, e.g. --map \"{}=throughput:img/s\"; columns: {}",
                    reading.path,
                    names.back(),
                    join(names, ", ")));
  }
  std::vector<MapEntry> entries;
  std::transform(column_map.begin(), column_map.end(), std::back_inserter(entries), parse_entry);
  check_columns(column_map, entries, names);
  audit::Table& table = reading.dataset.tables.emplace_back();
  table.name = "table";
  table.where = reading.path;
  table.experiment = table.name;
  std::vector<bool> is_mapped;
  for (const std::string& name : names) {
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const MapEntry& candidate) {
      return candidate.column == name;
    });
    is_mapped.push_back(entry != entries.end());
    table.columns.push_back(is_mapped.back() ? make_column(name, entry->quantity, entry->unit)
                                             : make_column(name, "label"));
  }
  audit::read_cells(text, reading.path, table, reading.problems);
  if (reading.problems.empty()) {
    refuse_impossible(table, reading.problems);
    drop_unmapped(is_mapped, table);
  }
}

}  // namespace scalestudy
