// What holds over a range of devices, and for how many models of a size a device pays.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/answer/bands.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

struct SizeRange {
  std::string name;
  std::map<Verdict, int> counts;
  int all = 0;
};

using One = SizeRange;

// Powers of ten of the number of parameters.
std::string range_name(double parameters) {
  constexpr std::array<std::pair<double, const char*>, 4> ends = {
      {{1e6, "below 1 M"}, {1e7, "1 M to 10 M"}, {1e8, "10 M to 100 M"}, {1e9, "100 M to 1 G"}}};
  for (const auto& [end, name] : ends) {
    if (parameters < end) {
      return name;
    }
  }
  return "1 G and more";
}

// Of studies that vary the model alone or among others; in the order of size.
std::vector<SizeRange> size_ranges(const ReportInput& input) {
  std::vector<std::pair<double, const ComparisonRow*>> pairs;
  std::set<double> sizes;
  for (const ComparisonRow& row : input.results.comparisons) {
    const CellRow& cell = input.cell(row.cell_id);
    const EstimateRow* size = input.estimate(row.cell_id, names::kParameterCount);
    if (row.quantity == names::kSpeedup && is_usable(row) && size != nullptr && size->value &&
        cell.devices > input.cell(row.baseline_cell_id).devices) {
      pairs.emplace_back(*size->value, &row);
      sizes.insert(*size->value);
    }
  }
  std::vector<SizeRange> ranges;
  if (sizes.size() < 2) {
    return ranges;
  }
  std::ranges::stable_sort(pairs, {}, [](const auto& pair) { return pair.first; });
  for (const auto& [size, row] : pairs) {
    const std::string name = range_name(size);
    if (ranges.empty() || ranges.back().name != name) {
      ranges.push_back({name, {}, 0});
    }
    ++ranges.back().counts[row->verdict];
    ++ranges.back().all;
  }
  return ranges;
}

Column<One> count_column(const ColumnHead& head, Verdict verdict) {
  return {head, [verdict](const One& row) {
            const auto found = row.counts.find(verdict);
            return std::to_string(found == row.counts.end() ? 0 : found->second);
          }};
}

std::vector<Column<One>> size_columns() {
  return {
      {{"range", "Parameters of the model", "range of sizes", Align::kText},
       [](const One& row) { return row.name; }},
      {{"all", "Pairs", "pairs of more devices against fewer that were tested"},
       [](const One& row) { return std::to_string(row.all); }},
      count_column({"faster", "Faster", "of these, resolved faster"}, Verdict::kFaster),
      count_column({"slower", "Slower", "resolved slower"}, Verdict::kSlower),
      count_column({"equal", "As fast", "as fast within the margin"}, Verdict::kEquivalent),
      {{"open", "No significant difference", "neither"},
       [](const One& row) {
         int resolved = 0;
         for (const Verdict verdict : {Verdict::kFaster, Verdict::kSlower, Verdict::kEquivalent}) {
           const auto found = row.counts.find(verdict);
           resolved += found == row.counts.end() ? 0 : found->second;
         }
         return std::to_string(row.all - resolved);
       }},
  };
}

View::List lines_of(const std::vector<std::string>& texts) {
  View::List rows;
  for (const std::string& text : texts) {
    rows.emplace_back();
    rows.back().set_text("band", text);
  }
  return rows;
}

}  // namespace

Section bands_section() {
  using enum TagKind;
  return {
      Tags{{"bands", kList, "the efficiency that holds up to numbers of devices"},
           {"bands.band", kText, "at least 92 % up to 8 devices, 61 % up to 256"},
           {"overhead_bands", kList, "what communication takes at most up to numbers of devices"},
           {"overhead_bands.band", kText, "at most 9 % up to 8 devices, 29 % up to 256"}} +
          table_tags("sizes", "models by size, and how many are faster", heads_of(size_columns())),
      [](View& view, const ReportInput& input, const Figures&) {
        view.set_list("bands", lines_of(efficiency_bands(input)));
        view.set_list("overhead_bands", lines_of(overhead_bands(input)));
        view.set_list("sizes", one_table(size_columns(), size_ranges(input)));
      }};
}

}  // namespace scalestudy::report
