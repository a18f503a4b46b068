// How a report is cited, for people and for reference managers.
#pragma once

#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "2026-11-21" of "2026-11-21T10:16:32Z"; "" of what is no time.
std::string day_of(const std::string& time);

// CITATION.cff (Citation File Format 1.2.0): title, the study's hash, the program and its version,
// the date on which the last session began. Whose study it is the store does not know: authors are
// to be filled in, and say so.
std::string citation(const ReportInput& input);

}  // namespace scalestudy::report
