// Break-evens between two settings, where the faster of them changes.
#pragma once

#include "harness/report/input/input.h"

namespace scalestudy::report {

// The declared threshold with `between` that the row answers; nullptr if there is none.
const ThresholdRequest* between_of(const ReportInput& input, const ThresholdRow& row);

}  // namespace scalestudy::report
