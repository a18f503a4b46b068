// The failure that a run is to meet once, and the record of it afterwards.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The record of a failure that has come: a file in the folder of checkpoints.
struct FailureRecord {
  std::size_t step = 0;                // steps done when it came
  double at_s = 0.0;                   // by now_s() of this machine
  std::optional<double> known_s = {};  // when the launcher knew: the run's last process was gone
};

// The record in `folder`; absent if there is no file, or no valid one.
std::optional<FailureRecord> read_failure(const std::filesystem::path& folder);
// Writes the record to `folder`. Throws WorkloadError (failed) if it cannot be written.
void write_failure(const std::filesystem::path& folder, const FailureRecord& record);

// The unwritable path to which files go with failures enospc and eio; empty for the others.
std::filesystem::path unwritable(FailureKind kind);

// The ranks that are killed, first to last: one rank for kKillRank, those of its node for
// kKillNode.
struct Victims {
  int first = 0;
  int last = 0;
};
Victims victims_of(const Failure& failure, int ranks);

// Records the failure, then kills the victims with SIGKILL: they do not return. Every rank calls.
void kill_ranks(const Failure& failure,
                std::size_t step,
                const std::filesystem::path& folder,
                const rank::World& world);

// Takes down the link of the rank's node, which data/interconnect.sh made, and records it: other
// ranks hear no more from that node and wait for it until the launcher ends them all. Every rank
// calls. Throws WorkloadError (unsupported) if the rank is on no such node, or has no permission.
void take_link_down(const Failure& failure,
                    std::size_t step,
                    const std::filesystem::path& folder,
                    const rank::World& world);

// Records the failure and sends SIGTERM to every rank; after notice_s SIGALRM ends those that are
// left. Calls `save` meanwhile. Throws WorkloadError with the exit code of a process that SIGTERM
// ended. Every rank calls.
[[noreturn]] void terminate(const Failure& failure,
                            std::size_t step,
                            const std::filesystem::path& folder,
                            const rank::World& world,
                            const std::function<void()>& save);

}  // namespace scalestudy::train
