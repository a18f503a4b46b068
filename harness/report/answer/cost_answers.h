// What training costs, in time and money.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// What the declared training costs on the cell that ends it soonest and on the cheapest, by the
// estimates; without a declared training, the least cost of a million tokens or samples. One answer
// a group of cells; none without declared costs or with more than three groups.
std::vector<Answer> cost_answers(const ReportInput& input);

// That the faster side of the pair costs more a sample, with the lines that are paid by the hour;
// "" where it does not.
std::string dearer_text(const ReportInput& input, const Pair& pair);

}  // namespace scalestudy::report
