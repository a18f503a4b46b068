// What to use: of the cells that share a base the fastest, the cheapest and the smallest, from
// stored verdicts, and along what the bases differ in.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/pairs.h"

namespace scalestudy::report {

// "Use", and where they are others "Cheapest" and "Smallest": "1 device at batch 16 to 32, 2
// devices at batch 64 to 256; between 32 and 64 measure". None where no pair makes a claim.
std::vector<Answer> choices(const ReportInput& input, const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
