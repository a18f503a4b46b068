// Which declared threshold a row answers.
#pragma once

#include <optional>
#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// The declared threshold with `between` that the row answers; nullptr if there is none.
const ThresholdRequest* between_of(const ReportInput& input, const ThresholdRow& row);

// The unit of the row's metric if its level is a value of the metric, "" for a pure number; absent
// if the level is a ratio to the baseline.
std::optional<std::string> absolute_unit(const ReportInput& input, const ThresholdRow& row);

}  // namespace scalestudy::report
