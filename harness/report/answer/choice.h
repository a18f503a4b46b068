// What to use: the fastest, the cheapest and the smallest of the cells that share a base, by stored
// verdicts, for each value of the parameter that the bases differ in.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/pairs.h"

namespace scalestudy::report {

// The answer "Use (fastest)", and "Cheapest" and "Smallest" where these choices differ from it: "1
// device at batch 16 to 32, 2 devices at batch 64 to 256". None where no
// pair has a usable speedup, or where the bases differ in too much for one sentence.
std::vector<Answer> choices(const ReportInput& input, const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
