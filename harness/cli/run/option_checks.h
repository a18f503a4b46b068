// Options of `run` that do not go together, or not with the study.
#pragma once

#include <string>

#include "harness/cli/run/run_command.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Throws Error{kUsage}, which says what to leave out or to declare:
// - --check and --profile beside an option that counts trials,
// - --settle beside --max-trials or --blocks,
// - --gate without targets and sides,
// - a --machine that nobody described, and --blocks that the study does not have.
void require_options_fit(const RunCommand& options, const Study& study, const std::string& results);

}  // namespace scalestudy
