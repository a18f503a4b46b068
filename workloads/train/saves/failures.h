// The failure that a run is to meet once, and what is known of it afterwards.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Of a failure that has come: a file in the folder of checkpoints.
struct FailureRecord {
  std::size_t step = 0;                // steps done when it came
  double at_s = 0.0;                   // by now_s() of this machine
  std::optional<double> known_s = {};  // when the launcher knew: the run's last process was gone
};

// Absent where there is none in `folder`, or what is there is no such record.
std::optional<FailureRecord> read_failure(const std::filesystem::path& folder);
// Throws WorkloadError (failed) where it cannot be written.
void write_failure(const std::filesystem::path& folder, const FailureRecord& record);

// What cannot be written to: where files go with failures enospc and eio; empty for the others.
std::filesystem::path unwritable(FailureKind kind);

// The ranks that are killed: of kKillRank the one, of kKillNode those of its node.
struct Victims {
  int first = 0;
  int last = 0;
};
Victims victims_of(const Failure& failure, int ranks);

// Kills the victims with SIGKILL, behind a record of it: they do not return. Every rank calls.
void kill_ranks(const Failure& failure,
                std::size_t step,
                const std::filesystem::path& folder,
                const rank::World& world);

// Takes down the link of the rank's node, which data/interconnect.sh made, and records it: no rank
// hears from that node any more, and waits for it until the launcher ends them all. Every rank
// calls. Throws WorkloadError (unsupported) where the rank is on no such node, or may not.
void take_link_down(const Failure& failure,
                    std::size_t step,
                    const std::filesystem::path& folder,
                    const rank::World& world);

// SIGTERM to every rank, behind a record of it; in notice_s SIGALRM ends what is left of them.
// `save` is called meanwhile. Throws WorkloadError with the exit code of a process that SIGTERM
// ended. Every rank calls.
[[noreturn]] void terminate(const Failure& failure,
                            std::size_t step,
                            const std::filesystem::path& folder,
                            const rank::World& world,
                            const std::function<void()>& save);

}  // namespace scalestudy::train
