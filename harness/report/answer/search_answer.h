// What a search recommends.
#pragma once

#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// The answer "Use" with the setting that the search recommends; none before the search is over.
std::vector<Answer> search_answer(const ReportInput& input);

}  // namespace scalestudy::report
