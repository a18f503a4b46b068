// Scripts that sbatch takes: an array of jobs, each of which runs some blocks of a study, and a job
// that goes on when they have ended. Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/study/parameters/machine_profile.h"

namespace scalestudy {

// What a job of a study asks for; a number that is 0 is left to Slurm.
struct JobRequest {
  std::int64_t nodes = 1;
  std::int64_t tasks_per_node = 1;  // ranks on a node, of the cell with most of them
  std::int64_t cores_per_task = 0;
  std::int64_t gpus_per_node = 0;
  double time_limit_s = 0.0;
};

// The jobs of a study that one script submits.
struct Batch {
  std::string study;
  std::string name;               // name of the jobs in the queue, jobs_name()
  std::filesystem::path program;  // path of scalestudy
  std::filesystem::path folder;   // absolute folder of all jobs: job N has job_folder(folder, N)
  std::filesystem::path working_folder;
  std::vector<std::int64_t> jobs;  // numbers of the jobs to submit, ascending
  std::int64_t blocks_per_job = 1;
  std::int64_t blocks = 1;  // number of the study's blocks
  JobRequest request;
  MachineProfile machine;
};

// The results folder of job number `job`.
std::filesystem::path job_folder(const std::filesystem::path& jobs, std::int64_t job);

// The text of the script. A job that was interrupted (preempted, out of time, told to end) queues
// itself again and resumes from its store, unless somebody cancelled it or three starts in a row
// ended no trial. Throws Error{kUsage} for a folder that no #SBATCH line can name.
std::string batch_script(const Batch& batch);

// The variable that tells `submit` in a follow-up how many trials had ended when it was submitted.
inline constexpr const char* kEndedBefore = "SCALESTUDY_ENDED_BEFORE";

// The script of a follow-up: a small job that begins once all jobs of the study's name have ended,
// however they ended. It gathers, and calls `submit --resubmit` for what is left.
// - more: how often it may still be submitted.
// - ended: trials that have ended by now.
std::string follow_up_script(const Batch& batch, std::int64_t more, std::int64_t ended);

}  // namespace scalestudy
