#include "harness/report/input/estimates.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

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

Scale time_scale(const ReportInput& input, const Group& group) {
  double largest = 0.0;
  for (const CellRow* cell : group.cells) {
    for (const Statistic statistic :
         {Statistic::kMean, Statistic::kP50, Statistic::kP95, Statistic::kP99}) {
      const EstimateRow* row = input.estimate(cell->id, names::kStepTime, statistic);
      largest = std::max(largest, row != nullptr ? row->value.value_or(0.0) : 0.0);
    }
  }
  return scale_for("s", largest);
}

std::string trials_used(const EstimateRow* row) {
  return row == nullptr ? "0" : fmt::format("{}/{}", row->n, row->n_planned);
}

}  // namespace scalestudy::report
