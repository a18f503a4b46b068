// Sessions that both sides of `compare` have.
#pragma once

#include "harness/analysis/studies/sides.h"
#include "harness/cli/terminal.h"

namespace scalestudy {

// Verdicts take the sides as independent. Throws Error{kUsage} if they share some of the sessions
// that ran their trials, and warns if they share all: that is one set beside itself.
void check_shared_sessions(const Side& a, const Side& b, Terminal& terminal);

}  // namespace scalestudy
