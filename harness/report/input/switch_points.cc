#include "harness/report/input/switch_points.h"

#include <algorithm>
#include <tuple>

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

}  // namespace scalestudy::report
