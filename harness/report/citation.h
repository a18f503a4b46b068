// How a report is cited, for people and for reference managers.
#pragma once

#include <string>

#include "harness/report/input.h"

namespace scalestudy::report {

// CITATION.cff (Citation File Format 1.2.0): title, the study's hash, the program and its version,
// the date on which the last session began. Whose study it is the store does not know: authors are
// to be filled in, and say so.
std::string citation(const ReportInput& input);

}  // namespace scalestudy::report
