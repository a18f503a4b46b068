// Tables and findings of a collective.
#include <algorithm>

#include <fmt/format.h>

#include "harness/base/number.h"
#include "harness/report/build_view.h"

namespace scalestudy::report {
namespace {

constexpr const char* kBusBandwidth = "busbw_bytes_per_s";

Measure measure(const EstimateRow* row) {
  return row == nullptr ? Measure{} : measure_of(*row);
}

// With its own unit: the times of one table span five orders of magnitude.
std::string time_text(const Measure& time) {
  const Scale scale = scale_for("s", time.value.value_or(0.0));
  return format_half_width(time, scale.factor) + (time.value ? " " + scale.unit : "");
}

std::string rate_text(const Measure& rate) {
  return format_interval(rate, scale_for("bytes/s", 0.0).factor);
}

View message_row(const ReportInput& input, const CellRow& cell) {
  View row;
  const EstimateRow* time = input.estimate(cell.id, "step_time_s");
  const std::optional<std::int64_t> bytes = message_bytes(cell);
  const std::string rest = configuration(input, cell);
  row.set_text("devices", std::to_string(cell.devices));
  row.set_text("message", bytes ? format_bytes(*bytes) : "–");
  row.set_text("configuration", rest.empty() ? "–" : rest);
  row.set_text("n", time == nullptr ? "0" : fmt::format("{}/{}", time->n, time->n_planned));
  row.set_text("time", time_text(measure(time)));
  row.set_text("p50", time_text(measure(input.estimate(cell.id, "step_time_s", "p50"))));
  row.set_text("p95", time_text(measure(input.estimate(cell.id, "step_time_s", "p95"))));
  row.set_text("algbw", rate_text(measure(input.estimate(cell.id, "algbw_bytes_per_s"))));
  row.set_text("busbw", rate_text(measure(input.estimate(cell.id, kBusBandwidth))));
  row.set_text("copy_bandwidth",
               rate_text(measure(input.estimate(cell.id, "copy_bandwidth_bytes_per_s"))));
  row.set_flag("oversubscribed", cell.oversubscribed);
  return row;
}

// "all_reduce, 2 devices, env.X=Y": the cells that differ in the size of their message only.
std::string curve_name(const ReportInput& input, const Group& group, const CellRow& cell) {
  const std::string rest = configuration(input, cell);
  return (group.label.empty() ? "" : group.label + ", ") + fmt::format("{} devices", cell.devices) +
         (rest.empty() ? "" : ", " + rest);
}

// Cells of one curve, by size.
std::string describe_curve(const ReportInput& input,
                           const std::string& name,
                           const std::vector<const CellRow*>& cells) {
  const auto rate = [&](const CellRow* cell) {
    return input.estimate(cell->id, kBusBandwidth)->value.value_or(0.0);
  };
  const CellRow& best =
      **std::max_element(cells.begin(), cells.end(), [&](const CellRow* a, const CellRow* b) {
        return rate(a) < rate(b);
      });
  const CellRow& least = *cells.front();
  return fmt::format("{}: highest bus bandwidth of {} sizes {} GB/s, at {}; {} take {}",
                     name,
                     cells.size(),
                     rate_text(measure(input.estimate(best.id, kBusBandwidth))),
                     format_bytes(*message_bytes(best)),
                     format_bytes(*message_bytes(least)),
                     time_text(measure(input.estimate(least.id, "step_time_s"))));
}

}  // namespace

View::List message_rows(const ReportInput& input, const Group& group) {
  View::List rows;
  for (const CellRow* cell : group.cells) {
    if (input.estimate(cell->id, kBusBandwidth) != nullptr) {
      rows.push_back(message_row(input, *cell));
    }
  }
  return rows;
}

std::vector<std::string> message_findings(const ReportInput& input) {
  std::vector<std::string> findings;
  for (const Group& group : group_cells(input)) {
    std::vector<std::pair<std::string, std::vector<const CellRow*>>> curves;
    for (const CellRow* cell : group.cells) {
      const EstimateRow* rate = input.estimate(cell->id, kBusBandwidth);
      if (cell->oversubscribed || rate == nullptr || !rate->value || !message_bytes(*cell)) {
        continue;
      }
      const std::string name = curve_name(input, group, *cell);
      if (curves.empty() || curves.back().first != name) {
        curves.emplace_back(name, std::vector<const CellRow*>());
      }
      curves.back().second.push_back(cell);
    }
    for (const auto& [name, cells] : curves) {
      findings.push_back(describe_curve(input, name, cells));
    }
  }
  return findings;
}

}  // namespace scalestudy::report
