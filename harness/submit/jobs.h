// A study as jobs: each runs some blocks of one plan into a small store of its own, below the
// results folder, which takes them in by merging.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"
#include "harness/submit/batch_script.h"
#include "harness/submit/queue.h"
#include "harness/text/words.h"

namespace scalestudy {

// The state of a job.
// - waiting, running: what squeue says.
// - done: no trial of its blocks is left.
// - left: trials are left, and the job is not in the queue; `submit` sends it again.
// - unknown: trials are left, and squeue does not answer.
enum class JobState { kWaiting, kRunning, kDone, kLeft, kUnknown };

template <>
inline constexpr std::string_view kWords<JobState> = "waiting|running|done|left|unknown";

struct StudyJob {
  std::int64_t job = 1;
  JobState state = JobState::kLeft;
  std::int64_t left = 0;    // trials of its blocks that have not run
  std::int64_t ended = 0;   // attempts of its blocks that have ended, in whatever way
  std::int64_t failed = 0;  // trials of its blocks whose last attempt failed
  std::string detail;       // the nodes it runs on, or why it waits; "" if it does neither
};

// The folder of a study's jobs: results/jobs/STUDY, absolute.
std::filesystem::path jobs_folder(const std::filesystem::path& results, const std::string& study);

// The file in that folder that has Slurm's id of the jobs that were sent last; absent while jobs
// are only prepared.
inline constexpr const char* kSentFile = "slurm_id";

// The name of a study's jobs in the queue; another one for each results folder.
std::string jobs_name(const std::filesystem::path& results, const std::string& study);

// How many blocks each job has; absent when the study was not submitted from these results. Throws
// Error{kStore} when the file that tells it holds no such number.
std::optional<std::int64_t> submitted_blocks_per_job(const std::filesystem::path& results,
                                                     const std::string& study);

// Throws Error{kUsage} when the study is adaptive (jobs that do not know of each other cannot
// decide when to stop), when it was submitted with another number of blocks a job, and when the
// stored study of that name is imported or another. More trials are allowed if they all belong to
// jobs that are not made yet.
// - study: with what was added to it.
// - store: nullptr: there is none.
void require_submittable(const Study& study,
                         const Store* store,
                         const std::filesystem::path& results,
                         std::int64_t blocks_per_job);

// Puts study and plan into the store, as `run` does before its first trial, and makes the folders
// of all jobs with their stores. What is there already stays. The caller holds the run lock.
// - host: this machine's name.
// - throws: as require_submittable().
void prepare_jobs(const Study& declared,
                  Store& store,
                  std::int64_t blocks_per_job,
                  const std::string& host);

// Every job of a submitted study, with what its own store and the queue tell; empty when the study
// was not submitted from these results.
std::vector<StudyJob> study_jobs(const std::filesystem::path& results, const std::string& study);

// The jobs to send: those that are neither in the queue nor done; of a study that was not submitted
// yet, all.
// - blocks: of the whole plan.
std::vector<std::int64_t> jobs_to_submit(const std::vector<StudyJob>& jobs,
                                         std::int64_t blocks,
                                         std::int64_t blocks_per_job);

// Throws Error{kMachine} when squeue is there and did not answer for one of the jobs: it may wait
// or run, and would be sent a second time. Without sbatch nothing is sent.
void require_known(const std::vector<StudyJob>& jobs);

// Throws Error{kUsage} when jobs of the study, submitted from these results, have blocks that the
// store still plans: run here too, they could not be merged.
void require_not_submitted(const Study& study, const Store& store);

// The results folders of a study's jobs that have a store.
std::vector<std::string> job_stores(const std::filesystem::path& results, const std::string& study);

// The sum of one count over the jobs.
// - count: &StudyJob::ended or &StudyJob::left
std::int64_t sum_over(const std::vector<StudyJob>& jobs, std::int64_t StudyJob::*count);

// The trials that have ended in the jobs' stores, each by the hash of its cell and its block.
// - jobs: of jobs_folder().
std::set<std::pair<std::string, std::int64_t>> ended_in_jobs(const std::filesystem::path& jobs,
                                                             const std::string& study);

// What each job asks for: the resources of the cell that needs most. Its time limit is 5 minutes
// plus the time of the job with most to do, but at most the machine's limit. A trial counts twice
// the mean of its cell so far; before the cell has run, a trial's time limit.
// - study: with what was added to it.
// - store: of earlier trials; nullptr: there are none.
JobRequest job_request(const Study& study,
                       const Store* store,
                       const MachineProfile& machine,
                       std::int64_t blocks_per_job);

}  // namespace scalestudy
