// The script that sbatch takes: an array of jobs, each of which runs some blocks of a study. Pure.
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
  std::int64_t tasks_per_node = 1;  // ranks of the cell with most of them
  std::int64_t cores_per_task = 0;
  std::int64_t gpus_per_node = 0;
  double time_limit_s = 0.0;
};

struct Batch {
  std::string study;
  std::string name;               // of the jobs
  std::filesystem::path program;  // scalestudy
  std::filesystem::path folder;   // of all jobs, absolute: job N has job_folder(folder, N)
  std::filesystem::path working_folder;
  std::vector<std::int64_t> jobs;  // to submit, ascending
  std::int64_t blocks_per_job = 1;
  std::int64_t blocks = 1;  // of the study
  JobRequest request;
  MachineProfile machine;
};

std::filesystem::path job_folder(const std::filesystem::path& jobs, std::int64_t job);

// "1-3,7" as --array takes it.
std::string array_text(const std::vector<std::int64_t>& jobs);

// A job that was interrupted - preempted, out of time, told to end - is queued again and goes on
// where its store is, unless somebody cancelled it or three starts in a row ended no trial.
// Throws Error{kUsage} for a folder that no #SBATCH line can name.
std::string batch_script(const Batch& batch);

}  // namespace scalestudy
