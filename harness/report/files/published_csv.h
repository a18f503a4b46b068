// Published figures as CSV.
#pragma once

#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// The text of "published.csv": each published figure of the study with full precision, and its
// measured counterpart.
std::string published_csv(const ReportInput& input);

}  // namespace scalestudy::report
