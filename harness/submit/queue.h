// Slurm's own programs: sbatch and squeue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace scalestudy {

struct QueuedJob {
  std::string state;   // Slurm's word: "PENDING", "RUNNING" ...
  std::string nodes;   // "n[0-1]"; "" while it waits
  std::string reason;  // why it waits
};

// What squeue printed as "3|RUNNING|n[0-1]|None", by index in the array; other lines are left out.
std::map<std::int64_t, QueuedJob> read_queue(const std::string& text);

// The jobs of that name, waiting or running; absent when squeue is not there or fails.
std::optional<std::map<std::int64_t, QueuedJob>> queued_jobs(const std::string& name);

// Submits the script; its own messages go to stderr. Returns the id. Throws Error{kMachine} when
// sbatch is not there or refuses.
std::string submit_script(const std::filesystem::path& script);

}  // namespace scalestudy
