// What a run acts on: processes, machine, clock, and the rules that decide what is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/host/machine.h"
#include "harness/run/process/launcher.h"
#include "harness/run/world/nodes.h"
#include "harness/store/rows/runs.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// How well a cell is known so far. run does not know statistics: the caller passes the rule.
struct Precision {
  std::optional<double> relative_half_width;  // absent with fewer than 2 trials
  std::optional<std::int64_t> stop_at;        // trials the study's rule asks for; absent: go on
};
// Tells the precision of a cell by its trials in order of block. The answer rests on the first
// stop_at of them alone.
using PrecisionRule = std::function<Precision(const std::vector<TrialMean>& trials)>;

// The cells that a study with `trials: {for: verdicts}` still measures after a look at its first
// `blocks` blocks, as ids of the store; absent when no look is due after so many blocks. The answer
// rests on the trials of these blocks alone, so that a resumed run decides alike.
using OpenCellsRule = std::function<std::optional<std::set<std::int64_t>>(
    const Store& store, std::int64_t study_id, std::int64_t blocks)>;

// The cells and blocks that a study measures further once its planned trials have all ended; empty
// for none. The answer rests on its trials alone, so that a resumed run decides alike.
using FurtherCellsRule =
    std::function<std::vector<Addition>(const Store& store, std::int64_t study_id)>;

// The blocks that a search measures next once its planned trials have all ended; none when it is
// over. The answer rests on the trials of this plan alone, so that a resumed run decides alike.
using NextBlocksRule =
    std::function<SearchBlocks(const Store& store, std::int64_t study_id, const std::string& plan)>;

using Sleep = std::function<void(double seconds)>;

// Blocks this thread; the Sleep of a real run.
void sleep_for(double seconds);

// What a run acts on; tests pass fakes. A study with `trials: {for: verdicts}` needs open_cells;
// further_cells and next_blocks may be empty.
struct RunWorld {
  Launcher& launcher;
  Machine& machine;
  const Clock& clock;
  PrecisionRule precision;
  OpenCellsRule open_cells = {};
  FurtherCellsRule further_cells = {};
  NextBlocksRule next_blocks = {};
  Sleep sleep = sleep_for;
  Nodes nodes = {};
};

}  // namespace scalestudy
