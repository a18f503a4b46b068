#include "harness/report/input/switch_points.h"

#include <algorithm>
#include <tuple>

#include "harness/report/input/estimates.h"
#include "harness/store/cell_name.h"

namespace scalestudy::report {

const ThresholdRequest* between_of(const ReportInput& input, const ThresholdRow& row) {
  const auto& requests = input.declared.analysis.thresholds;
  const auto found = std::ranges::find_if(requests, [&](const ThresholdRequest& request) {
    if (!request.between || std::tie(request.metric, request.level, request.along) !=
                                std::tie(row.metric, row.level, row.along)) {
      return false;
    }
    return std::ranges::all_of(row.cells, [&](std::int64_t id) {
      const CellRow::Parameter* setting = find_varied(input.cell(id), request.between->name);
      return setting != nullptr && setting->value == format_value(request.between->other);
    });
  });
  return found == requests.end() ? nullptr : &*found;
}

std::optional<std::string> absolute_unit(const ReportInput& input, const ThresholdRow& row) {
  const bool is_absolute =
      std::ranges::any_of(input.declared.analysis.thresholds, [&](const ThresholdRequest& request) {
        return !request.is_relative && std::tie(request.metric, request.level, request.along) ==
                                           std::tie(row.metric, row.level, row.along);
      });
  return is_absolute ? std::optional(unit_of(input, row.metric)) : std::nullopt;
}

}  // namespace scalestudy::report
