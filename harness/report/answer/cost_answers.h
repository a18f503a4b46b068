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
// for each group of cells and each of its by_conditions(); none without declared costs or with more
// than three groups.
std::vector<Answer> cost_answers(const ReportInput& input);

// That the faster side of pairs costs more a sample, and how much where that is least and most; if
// lines are paid by the hour, of the declared training. "" where it does not.
//
// - pairs: of one name, the fastest last; not empty.
std::string dearer_text(const ReportInput& input, const std::vector<const Pair*>& pairs);

}  // namespace scalestudy::report
