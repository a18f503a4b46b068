// The confirm run: one short run of a cell before its trials, never measured, in which NCCL logs
// what it made of the variables that the cell sets, and tells our profiler plugin what it chose
// (either in a trial would slow it down).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "harness/run/attempt/confirmation.h"
#include "harness/run/command/command.h"
#include "harness/run/session/prepared_study.h"
#include "harness/run/world/progress.h"
#include "harness/run/world/world.h"
#include "harness/store/store.h"

namespace scalestudy {

// Whether the cell gets a confirm run: the study asks for them (validity.confirm), and the cell
// sets NCCL variables and may use a GPU.
bool has_confirm_run(const Study& study, const Cell& cell);

// The study as it is in confirm runs, where built-in workloads run one step.
Study confirm_study(Study study);

// Makes the confirm runs of cells that get one and have trials to run. Their logs are those of
// attempt 0 (trial_files.h).
// - planned: the trials to run.
// - returns: what the runs show, by the cell's id in the store; empty entries for cells without a
//   run, and for those left when `stop` was set.
// - throws: Error{kStore}, like run_attempt().
std::map<std::int64_t, Confirmation> confirm_cells(
    const PreparedStudy& prepared,
    const std::vector<TrialRow>& planned,
    const std::map<std::string, Checkout>& checkouts,
    const Store& store,
    const RunWorld& world,
    const std::function<void(const Progress&)>& on_progress,
    const std::atomic<bool>& stop);

}  // namespace scalestudy
