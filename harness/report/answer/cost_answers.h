// What training costs, in time and money.
#pragma once

#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// What the declared training, else a million samples or tokens, costs where it is soonest and where
// it is cheapest by the estimates, one for each of two models at most.
std::vector<Answer> cost_answers(const ReportInput& input);

}  // namespace scalestudy::report
