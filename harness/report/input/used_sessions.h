// The sessions that results come from.
#pragma once

#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// Sessions of `input` that ran a trial that counts, in the order of their ids.
std::vector<const SessionInput*> used_sessions(const ReportInput& input);

}  // namespace scalestudy::report
