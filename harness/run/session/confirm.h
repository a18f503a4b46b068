// The confirm run: one short run of a cell before its trials, never measured, in which NCCL logs
// what it made of the variables that the cell sets, and tells our profiler plugin what it chose
// (either in a trial would slow it down).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/run/command/launch_command.h"
#include "harness/run/run_study.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

struct PreparedStudy;

// What each trial of the cell is given of it.
struct Confirmation {
  std::vector<TelemetryRow> telemetry;  // "setting.NCCL_ALGO": 1, 0 or -1 (FoundSetting::state)
  std::vector<LogRow> logs;             // a sentence a variable
};

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
