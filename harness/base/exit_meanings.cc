#include "harness/base/exit_meanings.h"

#include <array>

namespace scalestudy {
namespace {

constexpr auto kExitMeanings = std::to_array<ExitMeaning>({
    {ExitCode::kDone, "done", "Everything asked for was done."},
    {ExitCode::kInternalError, "internal error", "Internal error: a defect of scalestudy."},
    {ExitCode::kUsage,
     "usage (also no verb), study, store or machine",
     "Wrong usage, an invalid study file or template, a store or file that cannot be used, or "
     "something that this machine lacks, such as `mpirun` or memory."},
    {ExitCode::kFailedTrials,
     "finished with failed trials",
     "The run finished with failed trials, or stopped because all trials failed for the same "
     "reason. Cells that "
     "this machine cannot run (`unsupported`) count as failed only if no trial ended ok."},
    {ExitCode::kTargetMissed,
     "target missed, report out of date or published figure that does not follow, where you ask "
     "for it",
     "A target was missed or a cell is slower (`--gate`), a published figure does not follow "
     "(`audit --gate`), a report or site no longer matches its store (`--check`) or breaks a rule "
     "of reporting (`report --lint`), or a statement was not reproduced (`reproduce`)."},
    {ExitCode::kInconclusive,
     "inconclusive, where you ask for it",
     "A target or a compared cell is undecided, or b has no trial that counts for a cell that it "
     "should have run (`--gate`), a dataset has no figure that can be checked (`audit --gate`), or "
     "a side of `compare` has fewer than five sessions."},
    {ExitCode::kLocked,
     "another run holds the lock",
     "Another run holds the lock of this results folder, or, with `--no-wait`, measures on the "
     "same CPUs or GPUs. Try again later."},
    {ExitCode::kInterrupted,
     "interrupted, run again to continue",
     "Stopped by a signal or by `limits.max_time`. `run` again continues."},
});

}  // namespace

std::span<const ExitMeaning> exit_meanings() {
  return kExitMeanings;
}

}  // namespace scalestudy
