// What `run` says of each trial.
#pragma once

#include "harness/cli/terminal.h"
#include "harness/run/run_study.h"
#include "harness/store/store.h"

namespace scalestudy {

// On a terminal a line that moves on, and one that stays for a trial that did not end ok, with
// where its output is; elsewhere a line for each trial. A cleanup that failed stays, too.
void show_progress(const Progress& progress, const Store& store, Terminal& terminal);

}  // namespace scalestudy
