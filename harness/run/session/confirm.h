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

// Whether the study's cells get one (validity.confirm), and which: those that set NCCL variables
// and may use a GPU.
bool has_confirm_run(const Study& study, const Cell& cell);

// The study as it is in that run: of built-in workloads a step.
Study confirm_study(Study study);

// Of every cell, by id: what its run shows, where it has one and trials to run. In the log folder
// of attempt 0 (trial_files.h). Incomplete when `stop` ended it. Throws Error{kStore} as
// run_attempt.
std::map<std::int64_t, Confirmation> confirm_cells(
    const PreparedStudy& prepared,
    const std::map<std::string, Checkout>& checkouts,
    const Store& store,
    const RunWorld& world,
    const std::function<void(const Progress&)>& on_progress,
    const std::atomic<bool>& stop);

}  // namespace scalestudy
