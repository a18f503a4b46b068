// What to use: the fastest, the cheapest and the smallest of the cells that share a base, by stored
// verdicts, for each value of the parameter that the bases differ in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/pairs.h"

namespace scalestudy::report {

// The answer "Use (fastest)", or "Use (fastest of the 8 cells that have a base)" where cells
// without one were measured, and "Cheapest" and "Smallest" where these choices differ from it: "1
// device at batch 16 to 32, 2 devices at batch 64 to 256". "Cheapest" also says between which cells
// it is open. None where no pair has a usable speedup.
std::vector<Answer> choices(const ReportInput& input, const std::vector<Pair>& pairs);

// Why there is no answer "Use" though pairs have a usable speedup: "Which is the fastest is not
// decided; there is no verdict on batch 15 against batch 31: not enough data", as where a search
// ran them in other blocks. "" if there is one, if all verdicts leave it open, and for a search of
// settings.
std::string why_no_use(const ReportInput& input, const std::vector<Pair>& pairs);

// What the answer "Use (fastest)" chooses among the cells that share the cell's base, by its id:
// for two cells the recommendation() of their pair, given for the cell alone; for three or more, or
// where limits decide, the choice, given for each of them; "none" if no cell is certain to keep the
// limits. Where no cell is excluded as the best, a pair that is as fast keeps its recommendation().
// A search recommends by its own rule, so there each pair has its own.
std::map<std::int64_t, std::string> uses(const ReportInput& input, const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
