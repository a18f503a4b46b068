#include "harness/report/answer/message_answers.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// "all_reduce, 2 devices, env.X=Y": the cells that differ in the size of their message only.
std::string curve_name(const ReportInput& input, const Group& group, const CellRow& cell) {
  const std::string rest = curve_configuration(input, cell, input.declared.labels);
  return (group.label.empty() ? "" : group.label + ", ") + format_count(cell.devices, "device") +
         (rest.empty() ? "" : ", " + rest);
}

// Cells of one curve, by size.
std::string describe_curve(const ReportInput& input,
                           const std::string& name,
                           const std::vector<const CellRow*>& cells) {
  const auto rate = [&](const CellRow* cell) {
    return input.estimate(cell->id, names::kBusBandwidth)->value.value_or(0.0);
  };
  const CellRow& best =
      **std::max_element(cells.begin(), cells.end(), [&](const CellRow* a, const CellRow* b) {
        return rate(a) < rate(b);
      });
  const CellRow& least = *cells.front();
  const std::set<std::int64_t> not_as_asked = unapplied_cells(input);
  const bool is_as_asked = std::ranges::none_of(
      cells, [&](const CellRow* cell) { return not_as_asked.contains(cell->id); });
  const std::string of_sizes = cells.size() == 1
                                   ? "bus bandwidth"
                                   : fmt::format("highest bus bandwidth of {} sizes", cells.size());
  return fmt::format("{}{}: {} {} GB/s, at {}; {} take {}",
                     name,
                     is_as_asked ? "" : " (not shown to have its setting)",
                     of_sizes,
                     bandwidth_text(measure_of(input.estimate(best.id, names::kBusBandwidth))),
                     format_bytes(*message_bytes(best)),
                     format_bytes(*message_bytes(least)),
                     operation_time_text(measure_of(input.estimate(least.id, names::kStepTime))));
}

}  // namespace

std::string operation_time_text(const Measure& time) {
  const Scale scale = scale_for("s", time.value.value_or(0.0));
  return format_half_width(time, scale.factor, scale.unit);
}

std::string bandwidth_text(const Measure& rate) {
  return format_interval(rate, {.factor = scale_for("bytes/s", 0.0).factor});
}

std::vector<std::string> message_findings(const ReportInput& input) {
  std::vector<std::string> findings;
  for (const Group& group : group_cells(input)) {
    std::vector<std::pair<std::string, std::vector<const CellRow*>>> curves;
    for (const CellRow* cell : group.cells) {
      const EstimateRow* rate = input.estimate(cell->id, names::kBusBandwidth);
      if (!input.has_claim(*cell) || rate == nullptr || !rate->value || !message_bytes(*cell)) {
        continue;
      }
      const std::string name = curve_name(input, group, *cell);
      auto curve = std::ranges::find(curves, name, [](const auto& known) { return known.first; });
      if (curve == curves.end()) {
        curve = curves.insert(curve, {name, {}});
      }
      curve->second.push_back(cell);
    }
    for (auto& [name, cells] : curves) {
      std::ranges::stable_sort(cells, {}, [](const CellRow* cell) { return message_bytes(*cell); });
      findings.push_back(describe_curve(input, name, cells));
    }
  }
  return findings;
}

}  // namespace scalestudy::report
