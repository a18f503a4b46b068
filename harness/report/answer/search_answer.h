// What a search recommends.
#pragma once

#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// What a search recommends, once it is over.
std::vector<Answer> search_answer(const ReportInput& input);

}  // namespace scalestudy::report
