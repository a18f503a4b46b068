// What a study found of the metrics that it asks for beside its step times.
#pragma once

#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// An answer for each metric that the study asks for: "better, 0.595x with 2 devices". A metric that
// no comparison has is left out.
std::vector<Answer> metric_answers(const ReportInput& input);

}  // namespace scalestudy::report
