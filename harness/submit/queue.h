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
  std::string reason;  // why it waits, in Slurm's word
};

// The jobs in lines of squeue, "3|RUNNING|n[0-1]|None", by index in the array; others are left out.
std::map<std::int64_t, QueuedJob> read_queue(const std::string& text);

// The jobs called `name` in the queue, by index in the array; absent when squeue is missing or
// fails.
std::optional<std::map<std::int64_t, QueuedJob>> queued_jobs(const std::string& name);

// Whether lines of squeue, each the index of a job in its array ("3", "1-4"; "N/A" without an
// array), have a job that is no member of one: a follow-up (batch_script.h).
bool has_follow_up(const std::string& indexes);

// Whether a follow-up of that name waits in the queue; false when squeue is missing or fails.
bool is_followed_up(const std::string& name);

// Submits the script and returns the id of its jobs. Messages of sbatch go to stderr. Throws
// Error{kMachine} when sbatch is missing or refuses.
std::string submit_script(const std::filesystem::path& script);

}  // namespace scalestudy
