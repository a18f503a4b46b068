// Published figures as CSV.
#pragma once

#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "published.csv": every published figure of the study with full precision, and its counterpart.
std::string published_csv(const ReportInput& input);

}  // namespace scalestudy::report
