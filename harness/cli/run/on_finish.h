// The command that a study starts when a run of it ends.
#pragma once

#include <string>

#include "harness/cli/terminal.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Runs study.on_finish, if the study has one, with `summary` on its stdin, for a minute at most.
// Its output goes to logs/<study>/on_finish in the results folder. A failure is reported on the
// terminal and has no other effect.
void run_on_finish(const Study& study,
                   const std::string& results,
                   const std::string& summary,
                   Terminal& terminal);

}  // namespace scalestudy
