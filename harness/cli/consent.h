// Asks the user before something that cannot be undone, or that runs what a stranger wrote.
#pragma once

#include <string>

#include "harness/cli/terminal.h"

namespace scalestudy {

// Returns if `is_given` (--yes) or if the user answers `question` with yes. Throws Error{kUsage}
// for any other answer, and if standard input is no terminal, so that nobody can be asked.
void require_consent(const std::string& question, bool is_given, const Terminal& terminal);

}  // namespace scalestudy
