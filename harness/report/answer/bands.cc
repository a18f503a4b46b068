#include "harness/report/answer/bands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/report/answer/answer.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

struct Rung {
  std::int64_t devices = 0;
  double least = 0.0;  // smallest lower end up to here; of what has a most, below 0
};

// Where the next number of devices has that much less; the last one in any case.
std::vector<Rung> knees(const std::vector<Rung>& rungs) {
  constexpr std::size_t most = 4;
  for (double drop = 0.05;; drop *= 2.0) {
    std::vector<Rung> kept;
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      if (i + 1 == rungs.size() || rungs[i + 1].least < rungs[i].least - drop) {
        kept.push_back(rungs[i]);
      }
    }
    if (kept.size() <= most) {
      return kept;
    }
  }
}

std::string band_text(const std::vector<Rung>& rungs, const std::string& where, bool is_most) {
  std::vector<std::string> texts;
  for (const Rung& rung : knees(rungs)) {
    const double percent = std::abs(std::floor(100.0 * rung.least));
    texts.push_back(fmt::format("{}{:.0f} % up to {}{}",
                                !texts.empty() ? ""
                                : is_most      ? "at most "
                                               : "at least ",
                                percent,
                                rung.devices,
                                texts.empty() ? " devices" : ""));
  }
  return join(texts, ", ") + (where.empty() ? "" : " (" + where + ")");
}

// ---- models by size

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
    const EstimateRow* size = input.estimate(row.cell_id, kParameterCount);
    if (row.quantity == "speedup" && is_usable(row) && size != nullptr && size->value &&
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
      {{"open", "Not told apart", "neither"},
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

}  // namespace

namespace {

// Of cells with an interval, by what else sets them apart; from the end that bounds the quantity.
std::vector<std::string> bands_of(const ReportInput& input, const char* quantity, bool is_most) {
  std::vector<std::string> texts;
  for (const Group& group : group_cells(input)) {
    std::vector<std::pair<std::string, std::vector<Rung>>> curves;
    for (const CellRow* cell : group.cells) {
      const ComparisonRow* row = input.comparison(cell->id, quantity);
      const std::optional<double> end = row == nullptr ? std::nullopt : is_most ? row->hi : row->lo;
      if (!end || !is_usable(*row)) {
        continue;
      }
      std::vector<std::string> parts = {
          group.label, batch_name(input, *cell), configuration(input, *cell)};
      std::erase(parts, "");
      const std::string name = join(parts, ", ");
      auto found = std::ranges::find(curves, name, [](const auto& curve) { return curve.first; });
      if (found == curves.end()) {
        found = curves.insert(curves.end(), {name, {}});
      }
      found->second.push_back({cell->devices, is_most ? -*end : *end});
    }
    for (auto& [name, rungs] : curves) {
      std::ranges::stable_sort(rungs, {}, &Rung::devices);
      for (std::size_t i = 1; i < rungs.size(); ++i) {
        rungs[i].least = std::min(rungs[i].least, rungs[i - 1].least);
      }
      const double last = rungs.back().least;
      if (rungs.size() > 1 && (is_most ? last > -1.0 && last < 0.0 : last > 0.0)) {
        texts.push_back(band_text(rungs, name, is_most));
      }
    }
  }
  return texts;
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

std::vector<std::string> efficiency_bands(const ReportInput& input) {
  return bands_of(input, "efficiency", false);
}

std::vector<std::string> overhead_bands(const ReportInput& input) {
  return bands_of(input, "communication_overhead", true);
}

Section bands_section() {
  using enum TagKind;
  return {
      Tags{{"bands", kList, "the efficiency that holds up to numbers of devices"},
           {"bands.band", kText, "at least 92 % up to 8 devices, 61 % up to 256"},
           {"overhead_bands", kList, "what communication takes at most up to numbers of devices"},
           {"overhead_bands.band", kText, "at most 9 % up to 8 devices, 29 % up to 256"}} +
          table_tags("sizes", "models by size, and how many are faster", heads_of(size_columns())),
      [](View& view, const ReportInput& input, const FigurePaths&) {
        view.set_list("bands", lines_of(efficiency_bands(input)));
        view.set_list("overhead_bands", lines_of(overhead_bands(input)));
        view.set_list("sizes", one_table(size_columns(), size_ranges(input)));
      }};
}

}  // namespace scalestudy::report
