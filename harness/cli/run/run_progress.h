// What `run` prints about each trial.
#pragma once

#include <string>

#include "harness/cli/terminal.h"
#include "harness/run/run_study.h"
#include "harness/store/store.h"

namespace scalestudy {

// On a terminal each trial rewrites one line. A failed cleanup, what setup left running, and a
// trial that did not end ok get a line that stays, with the place of the output. Elsewhere each
// trial gets a line.
void show_progress(const Progress& progress, const Store& store, Terminal& terminal);

// The same with another name for the cell than that of its label.
void show_progress_of(const std::string& cell,
                      const Progress& progress,
                      const Store& store,
                      Terminal& terminal);

}  // namespace scalestudy
