#include "harness/report/answer/bands.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

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
    const double floor = std::floor(100.0 * rung.least);
    const double percent = is_most ? std::max(0.0, -floor) : floor;  // a share below 0 is noise
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

// A line over devices, by what else sets its cells apart.
using Curves = std::vector<std::pair<std::string, std::vector<Rung>>>;

// The cells of a group that have an interval, each with the end that bounds the quantity.
Curves curves_of(const ReportInput& input, const Group& group, const char* quantity, bool is_most) {
  Curves curves;
  for (const CellRow* cell : group.cells) {
    const ComparisonRow* row = input.comparison(cell->id, quantity);
    const std::optional<double> end = row == nullptr ? std::nullopt : is_most ? row->hi : row->lo;
    if (!end || !is_usable(*row)) {
      continue;
    }
    const std::string setting = setting_name(input, on_device_curve(input, *cell));
    const CellRow& base = input.cell(row->baseline_cell_id);
    const std::string other_base = fixed_batch(input, base) == fixed_batch(input, *cell)
                                       ? ""
                                       : "; base: " + short_name(input, base);
    const std::string name =
        group.label + (group.label.empty() || setting.empty() ? "" : ", ") + setting + other_base;
    auto found = std::ranges::find(curves, name, [](const auto& curve) { return curve.first; });
    if (found == curves.end()) {
      found = curves.insert(curves.end(), {name, {}});
    }
    found->second.push_back({cell->devices, is_most ? -*end : *end});
  }
  return curves;
}

std::vector<std::string> bands_of(const ReportInput& input, const char* quantity, bool is_most) {
  std::vector<std::string> texts;
  for (const Group& group : group_cells(input)) {
    for (auto& [name, rungs] : curves_of(input, group, quantity, is_most)) {
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

}  // namespace

std::vector<std::string> efficiency_bands(const ReportInput& input) {
  return bands_of(input, names::kEfficiency, false);
}

std::vector<std::string> overhead_bands(const ReportInput& input) {
  return bands_of(input, names::kOverhead, true);
}

}  // namespace scalestudy::report
