// The command of a study that hears of a run's end.
#pragma once

#include <string>

#include "harness/cli/terminal.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Runs study.on_finish, if it has one, with `summary` on its stdin, for a minute at most; what it
// prints goes to logs/<study>/on_finish of the results folder. A failure is told and nothing else.
void run_on_finish(const Study& study,
                   const std::string& results,
                   const std::string& summary,
                   Terminal& terminal);

}  // namespace scalestudy
