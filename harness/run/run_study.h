// Runs what is missing of a study: plan -> schedule -> launch -> trial outcome -> store.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/host/machine.h"
#include "harness/run/process/launcher.h"
#include "harness/run/world/nodes.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

struct RunOptions {
  bool accept_changes = false;  // a changed study goes on instead of being refused
  bool retry_failed = false;    // run trials again that did not end ok, those unsupported included
  std::optional<std::int64_t> max_trials{};  // stop after this many, as if interrupted
  std::set<std::string> cells{};             // hashes of those to run alone; empty: all, and more
  bool is_traced = false;                    // trials write traces: not to be measured
  // Only these, first to last, from 0: a part of the plan, of a study that is not adaptive.
  std::optional<std::pair<std::int64_t, std::int64_t>> blocks{};

  [[nodiscard]] bool has_block(std::int64_t block) const {
    return !blocks || (block >= blocks->first && block <= blocks->second);
  }
};

// What the terminal shows; called from run_study's thread.
struct Progress {
  std::int64_t done = 0;        // trials finished, earlier sessions included
  std::int64_t planned = 0;     // trials of the plan
  std::optional<double> eta_s;  // absent until this session has ended a trial, and one is ok
  std::string cell_label;
  std::int64_t cell_block = 0;
  std::int64_t trial_id = 0;
  std::optional<TrialState> state;  // absent: the trial starts; present: it has ended so
  std::string reason;
  std::string cleanup;  // "cleanup: exit code 1": that behind the trial failed; "": it did not
  std::string waiting;  // why the trial does not start yet; "": it does
  Disturbance disturbance = Disturbance::kNone;
  std::optional<double> step_time_s;          // mean of the finished trial
  std::optional<double> relative_half_width;  // of the cell's step time so far
  double trial_wall_s = 0.0;
};

struct RunSummary {
  std::map<TrialState, std::int64_t> states;  // of the plan's trials (last attempts)
  std::int64_t run_now = 0;                   // trials launched by this call
  bool interrupted = false;
  bool out_of_time = false;  // limits.max_time_s reached
  // Why the run stopped with trials left to run: all attempts failed alike (RepeatedFailures), or
  // the machine is not as validity.policy abort asks for.
  std::string stopped;
  std::vector<std::string> given_up;  // cells whose other trials were skipped, and why
};

// How well a cell is known so far. run does not know statistics: the caller passes the rule.
struct Precision {
  std::optional<double> relative_half_width;  // absent with fewer than 2 trials
  std::optional<std::int64_t> stop_at;        // trials the study's rule asks for; absent: go on
};
// The trials in order of block. The answer rests on the first stop_at of them alone.
using PrecisionRule = std::function<Precision(const std::vector<TrialMean>& trials)>;

// The cells that a study with `trials: {for: verdicts}` still measures after a look at its first
// `blocks` blocks, as ids of the store; absent: this is no number of blocks to look at. The answer
// rests on the trials of these blocks alone, so that a resumed run decides alike.
using OpenCellsRule = std::function<std::optional<std::set<std::int64_t>>(
    const Store& store, std::int64_t study_id, std::int64_t blocks)>;

// What a study whose planned trials have all ended is to measure further, by its trials alone, so
// that a resumed run decides alike; empty: nothing.
using FurtherCellsRule =
    std::function<std::vector<Addition>(const Store& store, std::int64_t study_id)>;

// The blocks that a search measures once all its planned trials have ended, by the trials of this
// plan alone, so that a resumed run decides alike; none: it is over.
using NextBlocksRule =
    std::function<SearchBlocks(const Store& store, std::int64_t study_id, const std::string& plan)>;
using Sleep = std::function<void(double seconds)>;
void sleep_for(double seconds);

// The world a run acts on; tests pass fakes.
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

// Runs the missing trials of `declared`, and of what runs add to it, into `store`, whose lock the
// caller holds (run/lock.h).
//   stop    set by a signal handler: the running trial is ended and put back to planned.
//   throws  Error{kUsage} when the stored study of that name differs, or a rank would be bound to
//           another number of cores than before, and changes are not accepted (the message lists
//           the differences); Error{kMachine} when the workload program or its launcher is missing.
RunSummary run_study(const Study& declared,
                     Store& store,
                     const RunWorld& world,
                     const RunOptions& options,
                     const std::function<void(const Progress&)>& on_progress,
                     const std::atomic<bool>& stop);

}  // namespace scalestudy
