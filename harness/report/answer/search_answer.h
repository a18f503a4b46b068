// What a search recommends, and the largest batch that fits.
#pragma once

#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// The answer "Use" with the setting that the search recommends; none before the search is over.
std::vector<Answer> search_answer(const ReportInput& input);

// An answer "Largest that fits" for each combination of the other varied parameters: "batch 96 per
// device: 5 of 5 trials fit, so at least 54.9 % of launches do (95 % confidence for this batch
// alone); 97 did not fit in 1 of 1 trial". None without such a search, or before its first trial.
std::vector<Answer> largest_fits(const ReportInput& input);

}  // namespace scalestudy::report
