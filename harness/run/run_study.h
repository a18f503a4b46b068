// Runs what is missing of a study: plan -> schedule -> launch -> trial outcome -> store.
#pragma once

#include <atomic>
#include <functional>

#include "harness/run/world/progress.h"
#include "harness/run/world/world.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Runs the missing trials of `declared`, and of what runs add to it, into `store`, whose lock the
// caller holds (process/lock.h).
// - stop: set by a signal handler: the running trial is ended and put back to planned.
// - throws: Error{kUsage} when the stored study of that name differs, or a rank would be bound to
//   another number of cores than before, and changes are not accepted (the message lists the
//   differences); Error{kMachine} when the workload program or its launcher is missing.
RunSummary run_study(const Study& declared,
                     Store& store,
                     const RunWorld& world,
                     const RunOptions& options,
                     const std::function<void(const Progress&)>& on_progress,
                     const std::atomic<bool>& stop);

}  // namespace scalestudy
