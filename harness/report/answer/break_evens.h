// Break-evens in words: between which tested values a level is crossed, and where about.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "32 to 64", "above 64": the tested values on either side of the crossing; "–" where neither is
// known.
std::string bracket_text(const ThresholdRow& row);

// "46.1 [39.2, 61.0]": where the crossing lies by interpolation. An end of the interval that lies
// at the end of the tested range is that value, marked as open: "≥ 64". "–" where there is no
// estimate.
std::string estimate_text(const ThresholdRow& row);

// The break-evens as sentences: "speedup reaches 1x between batch_global 32 and 64, about 46.1
// [39.2, 61.0] (devices=2)". Curves of which the same is known share one: "... (2 of 3 curves)".
std::vector<std::string> break_evens(const ReportInput& input);

}  // namespace scalestudy::report
