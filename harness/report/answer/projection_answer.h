// What the asked-for projections say, in one line. Their table: sections/verdicts.
#pragma once

#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// The line is about this.
inline constexpr const char* kProjectedLine = "Projected, not measured";

// "16 devices (batch 96): 28.5 ms [21.6, 31.4] per step; 16 devices (batch 192): refused": of each
// of two curves the most devices, of more the number of curves; why there is no value, or where
// that is told. "" if the study asks for none, and once all that it asks for are measured.
std::string projection_text(const ReportInput& input);

}  // namespace scalestudy::report
