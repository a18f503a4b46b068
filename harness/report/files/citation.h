// How a report is cited, for people and for reference managers.
#pragma once

#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// The day of a UTC time: "2026-11-21" for "2026-11-21T10:16:32Z"; "" for a text that is no time.
std::string day_of(const std::string& time);

// The text of CITATION.cff (Citation File Format 1.2.0): title, the study's hash, the program and
// its version, the date on which the last session began. The store does not know the authors: a
// placeholder asks the user to fill them in.
std::string citation(const ReportInput& input);

}  // namespace scalestudy::report
