#include "harness/report/input/estimates.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {

std::vector<const CellRow*> cells_with(const ReportInput& input,
                                       const Group& group,
                                       const std::string& metric) {
  std::vector<const CellRow*> cells;
  std::copy_if(
      group.cells.begin(), group.cells.end(), std::back_inserter(cells), [&](const CellRow* cell) {
        return input.estimate(cell->id, metric) != nullptr;
      });
  return cells;
}

Scale time_scale(const ReportInput& input, const std::vector<const CellRow*>& cells) {
  double largest = 0.0;
  for (const CellRow* cell : cells) {
    for (const Statistic statistic :
         {Statistic::kMean, Statistic::kP50, Statistic::kP95, Statistic::kP99}) {
      const EstimateRow* row = input.estimate(cell->id, names::kStepTime, statistic);
      largest = std::max(largest, row != nullptr ? row->value.value_or(0.0) : 0.0);
    }
  }
  return scale_for("s", largest);
}

Scale memory_scale(const ReportInput& input) {
  return amount_scale("bytes", largest_estimate(input.results, names::kPeakBytes).value_or(0.0));
}

std::string memory_text(std::optional<double> bytes, const Scale& memory) {
  if (!bytes) {
    return "";
  }
  const double amount = *bytes * memory.factor;
  return amount > 0.0 && amount < 0.001 ? "< 0.001" : format_plain(amount);
}

std::string metric_name(const ReportInput& input, const std::string& metric) {
  const std::string words = metric_words(metric);
  return words == metric && input.declared.workload != Workload::kCommand ? plain_words(metric)
                                                                          : words;
}

std::optional<double> device_memory_share(const ReportInput& input, const CellRow& cell) {
  constexpr double gigabyte = 1e9;
  const auto peak = measure_of(input.estimate(cell.id, names::kPeakBytes)).value;
  auto device = measure_of(input.estimate(cell.id, "device_memory_bytes")).value;
  const auto end = cell.parameters.end();
  const auto find = [&](const char* name) {
    return std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  };
  if (const auto compute = find(kCompute); compute != end && compute->value == "declared") {
    return std::nullopt;  // an emulated device takes no memory for layers
  }
  const auto declared = find("device_memory_gb");
  if (!device && declared != end && declared->number()) {
    device = gigabyte * *declared->number();
  }
  return peak && device && *device > 0.0 ? std::optional(*peak / *device) : std::nullopt;
}

const VolumeRow* link_of(const ReportInput& input, const CellRow& cell) {
  const auto& volumes = input.results.volumes;
  const auto found = std::ranges::find_if(volumes, [&](const VolumeRow& row) {
    return row.cell_id == cell.id && row.quantity == kLinkRate;
  });
  return found == volumes.end() ? nullptr : &*found;
}

std::string link_share_text(const ReportInput& input, const CellRow& cell) {
  const VolumeRow* link = link_of(input, cell);
  return link == nullptr || !link->calculated
             ? ""
             : format_interval(measure_of(input.estimate(cell.id, names::kBusBandwidth)),
                               {.factor = 100.0 / *link->calculated});
}

std::string unit_of(const ReportInput& input, const std::string& metric) {
  const auto found = input.index.metrics.find(metric);
  const std::string unit =
      found == input.index.metrics.end() ? "" : input.results.estimates[found->second].unit;
  return unit == "1" ? "" : unit;
}

std::string confidence_text(const ReportInput& input) {
  const std::string all = format_percent(input.declared.analysis.confidence);
  std::vector<double> compared;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.lo) {
      compared.push_back(row.confidence);
    }
  }
  const std::string levels = format_levels(compared);
  return levels.empty() || levels == all ? all : fmt::format("{} (comparisons: {})", all, levels);
}

std::string trials_used(const EstimateRow* row) {
  return row == nullptr ? "0" : fmt::format("{}/{}", row->n, row->n_planned);
}

}  // namespace scalestudy::report
