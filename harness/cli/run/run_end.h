// The last words of a run: how its trials ended, the answer, what to look at, and what to do next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/studies/settle.h"
#include "harness/cli/terminal.h"
#include "harness/run/world/progress.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

struct RunEnd {
  const Store& store;
  std::int64_t study_id = 0;
  const Study& study;
  const RunSummary& summary;
  const std::vector<ThreatRow>& threats;
  const std::optional<Settling>& settling;  // absent if nothing is open
  bool settles = false;                     // the blocks of `settling` run next: --settle
  std::string again;                        // the command line that continues the run
};

// Whether trials of the run failed. Cells that this machine cannot run are no failure beside others
// that ran; trials excluded by hand never are.
// - study: a search for the largest batch expects that trials run out of memory.
bool has_failed(const RunSummary& summary, const Study& study);

// Prints the answer on stdout, unless that cannot be written, and the rest as notes; why trials
// failed also if these are switched off. If the run was not stopped by a signal and started a
// trial, the study's on_finish gets the same text.
void tell_end(const RunEnd& end, const std::string& results, Terminal& terminal);

}  // namespace scalestudy
