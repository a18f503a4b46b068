// Times to a declared accuracy or loss, in words.
#pragma once

#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "7 of 8" trials that reach it, of a row reached:METRIC:LEVEL; "" for nullptr.
std::string reached_text(const EstimateRow* reached);

// "12.3 s [10.1, 15.0]"; "12.3 s, at least 10.1 s" if the interval is open above; "not reached by
// half; at least 10.1 s" without a median. Of a row time_to:METRIC:LEVEL; "" for nullptr.
std::string median_text(const EstimateRow* median);

}  // namespace scalestudy::report
