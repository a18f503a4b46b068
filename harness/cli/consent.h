// Asks before what cannot be taken back, or what a stranger wrote.
#pragma once

#include <string>

#include "harness/cli/terminal.h"

namespace scalestudy {

// Returns where `is_given` (--yes), or when the user answers `question` with yes. Throws
// Error{kUsage} for another answer, and where standard input is no terminal, so that nobody could
// be asked.
void require_consent(const std::string& question, bool is_given, const Terminal& terminal);

}  // namespace scalestudy
