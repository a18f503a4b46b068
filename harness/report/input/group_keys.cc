#include "harness/report/input/group_keys.h"

#include <algorithm>
#include <vector>

#include "workloads/names/names.h"

namespace scalestudy::report {

bool shapes_model(const std::string& name) {
  return name == names::kModel || name.starts_with("model.");
}

bool splits_groups(const Study& study, const std::string& name) {
  const bool is_model = shapes_model(name);
  const std::vector<ThresholdRequest>& thresholds = study.analysis.thresholds;
  const bool is_axis =
      std::any_of(thresholds.begin(), thresholds.end(), [&](const ThresholdRequest& threshold) {
        return threshold.along == name || (is_model && threshold.along == names::kParameterCount);
      });
  return (is_model || name == names::kOperation) && !is_axis;
}

}  // namespace scalestudy::report
