#include "harness/submit/jobs.h"

#include <algorithm>
#include <map>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/store/added.h"
#include "harness/store/trial_plan.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/text/quantity.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostBlocksPerJob = 1'000'000'000;  // as --blocks-per-job

fs::path size_file(const fs::path& jobs) {
  return jobs / "blocks_per_job";
}

std::int64_t job_count(std::int64_t blocks, std::int64_t blocks_per_job) {
  return (blocks + blocks_per_job - 1) / blocks_per_job;
}

// The jobs whose folder has a store, in order: somebody may have removed one that is done.
std::vector<std::int64_t> stored_jobs(const fs::path& jobs) {
  std::vector<std::int64_t> numbers;
  for (const fs::path& entry : entries_of(jobs)) {
    const std::string name = entry.filename().string();
    const auto number = name.starts_with("job") ? parse_integer(name.substr(3)) : std::nullopt;
    if (number && entry == job_folder(jobs, *number) && Store::exists(entry)) {
      numbers.push_back(*number);
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

bool is_left(const TrialRow& trial) {
  return !trial.superseded && is_pending(trial.state);
}

// Throws Error{kUsage} unless the stored study is this one, or has fewer trials and nothing else
// differs: the new blocks are then those of further jobs.
void require_same(const Study& study,
                  const StudyRow& stored,
                  std::int64_t blocks_per_job,
                  const fs::path& results) {
  const fs::path jobs = jobs_folder(results, study.name);
  // Not by their hashes: an earlier version may have read the same text otherwise, and
  // limits.timeout: 10min has the hash of a study without it.
  const Study before = parse_stored_study(stored.source_text, stored.source_path);
  const std::vector<std::string> differences = study_difference(before, study);
  if (differences.empty()) {
    return;
  }
  const bool is_count = differ_in_count_alone(before, study);
  if (is_count && study.trials.count < before.trials.count) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("study {0} was submitted with trials.count {1}, which may only grow. To "
                    "repeat that: {2}",
                    study.name,
                    before.trials.count,
                    call_of(results.string(), "submit", study.name)));
  }
  if (!is_count) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("study {0} is not the one of that name in the store:\n  {1}\nOnly "
                    "trials.count may change. Submit the study under another name. "
                    "To begin again without the old trials, remove {2} once its jobs have ended, "
                    "then `{3}`",
                    study.name,
                    join(differences, "\n  "),
                    jobs.string(),
                    call_of(results.string(), "remove", study.name)));
  }
  const std::int64_t first_job = before.trials.count / blocks_per_job + 1;
  const std::vector<std::int64_t> made = stored_jobs(jobs);
  if (!made.empty() && made.back() >= first_job) {
    throw Error(ErrorKind::kUsage,
                fmt::format("study {}: block {} would be the first of the new trials, and is one "
                            "of job {}, which has been made without it. Submit the study under "
                            "another name",
                            study.name,
                            before.trials.count + 1,
                            first_job));
  }
}

// Of the store, what the blocks of a job consist of.
StoreContent part_of(const StudyContent& whole, std::int64_t first, std::int64_t last) {
  StudyContent part{.study = whole.study,
                    .cells = whole.cells,
                    .sessions = {},
                    .trials = {},
                    .looks = {},
                    .additions = whole.additions,
                    .projections = {},
                    .publications = {}};
  std::set<std::string> sessions;
  for (const TrialContent& trial : whole.trials) {
    const std::int64_t block = trial.record.trial.block;
    if (block >= first && block <= last) {
      part.trials.push_back(trial);
      sessions.insert(trial.session);
    }
  }
  std::ranges::copy_if(
      whole.sessions, std::back_inserter(part.sessions), [&](const SessionContent& session) {
        return sessions.contains(session.row.uid);
      });
  return {.studies = {std::move(part)}, .publications = {}};
}

}  // namespace

fs::path jobs_folder(const fs::path& results, const std::string& study) {
  return fs::absolute(results).lexically_normal() / "jobs" / study;
}

std::string jobs_name(const fs::path& results, const std::string& study) {
  return fmt::format(
      "scalestudy-{}-{}", study, text_hash(jobs_folder(results, study).string()).substr(0, 8));
}

std::optional<std::int64_t> submitted_blocks_per_job(const fs::path& results,
                                                     const std::string& study) {
  const fs::path path = size_file(jobs_folder(results, study));
  const auto text = read_file(path);
  if (!text) {
    return std::nullopt;
  }
  const auto count = parse_integer(text->substr(0, text->find('\n')));
  if (!count || *count < 1 || *count > kMostBlocksPerJob) {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: this is not a number of blocks from 1 to {}. Write what {} was "
                            "submitted with (--blocks-per-job, 1 by default)",
                            path.string(),
                            kMostBlocksPerJob,
                            study));
  }
  return count;
}

void require_submittable(const Study& study,
                         const Store* store,
                         const fs::path& results,
                         std::int64_t blocks_per_job) {
  if (study.search) {
    throw Error(ErrorKind::kUsage,
                fmt::format("study {} is a search, which goes by what its trials say: jobs that do "
                            "not know of each other cannot decide. Run it in one job: scalestudy "
                            "run",
                            study.name));
  }
  if (study.trials.until || study.trials.is_for_verdicts) {
    throw Error(ErrorKind::kUsage,
                fmt::format("study {} stops by what its trials say (trials.until), which jobs "
                            "that do not know of each other cannot decide; submit it with --set "
                            "'trials={{count: {}}}'",
                            study.name,
                            study.trials.count));
  }
  const fs::path jobs = jobs_folder(results, study.name);
  if (const auto before = submitted_blocks_per_job(results, study.name);
      before && *before != blocks_per_job) {
    throw Error(ErrorKind::kUsage,
                fmt::format("study {} was submitted with {} block(s) a job, which stays: its "
                            "stores are in {}",
                            study.name,
                            *before,
                            jobs.string()));
  }
  if (store != nullptr) {
    require_not_imported(study.name, *store);
    if (const std::optional<StudyRow> stored = store->find_study(study.name)) {
      require_same(study, *stored, blocks_per_job, results);
    }
  }
}

void prepare_jobs(const Study& declared,
                  Store& store,
                  std::int64_t blocks_per_job,
                  const std::string& host) {
  const Study study = with_additions(declared, store);
  require_submittable(study, &store, store.results_folder(), blocks_per_job);
  const fs::path jobs = jobs_folder(store.results_folder(), study.name);
  const Matrix matrix = expand(study);
  // How many ranks fit a node is the jobs' to say.
  std::map<std::string, bool> oversubscribed;
  std::vector<TrialRow> trials;
  std::vector<SessionRow> sessions;
  if (const auto stored = store.find_study(study.name)) {
    trials = store.trials(stored->id);
    sessions = store.sessions(stored->id);
    for (const CellRow& cell : store.cells(stored->id)) {
      oversubscribed[cell.hash] = cell.oversubscribed;
    }
  }
  plan_study(study, matrix, oversubscribed, plan_to_run(trials, sessions, host), store);
  std::error_code error;
  if (!create_private_folder(jobs, error)) {
    throw Error(ErrorKind::kStore, fmt::format("{}: {}", jobs.string(), error.message()));
  }
  // On the disk before jobs run: without it nobody knows which of them has which blocks.
  replace_file(size_file(jobs), fmt::format("{}\n", blocks_per_job));
  for (const fs::path& path : {size_file(jobs), jobs}) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    fsync(descriptor);
    close(descriptor);
  }
  const StoreContent content = store.content();
  const auto whole = std::ranges::find(
      content.studies, study.name, [](const StudyContent& own) { return own.study.name; });
  for (std::int64_t job = 1; job <= job_count(block_count(matrix), blocks_per_job); ++job) {
    Store own = Store::open(job_folder(jobs, job));
    if (!own.find_study(study.name)) {
      const std::int64_t first = (job - 1) * blocks_per_job;
      own.replace_content(part_of(*whole, first, first + blocks_per_job - 1));
    }
  }
}

namespace {

// Counts the trials of the job's blocks in its own store.
void count_trials(const Store& store,
                  const std::string& study,
                  std::int64_t blocks_per_job,
                  StudyJob& told) {
  const auto row = store.find_study(study);
  if (!row) {
    return;
  }
  const std::int64_t first = (told.job - 1) * blocks_per_job;
  for (const TrialRow& trial : store.trials(row->id)) {
    if (trial.block >= first && trial.block < first + blocks_per_job) {
      ++(is_left(trial) ? told.left : told.ended);
      told.failed += !trial.superseded && has_failed(trial.state) ? 1 : 0;
    }
  }
}

}  // namespace

std::vector<StudyJob> study_jobs(const fs::path& results, const std::string& study) {
  const auto blocks_per_job = submitted_blocks_per_job(results, study);
  if (!blocks_per_job) {
    return {};
  }
  const fs::path folder = jobs_folder(results, study);
  const auto queue = queued_jobs(jobs_name(results, study));
  std::vector<StudyJob> jobs;
  for (const std::int64_t job : stored_jobs(folder)) {
    StudyJob& told = jobs.emplace_back();
    told.job = job;
    count_trials(Store::open_read_only(job_folder(folder, job)), study, *blocks_per_job, told);
    told.state = !queue ? JobState::kUnknown : JobState::kLeft;
    if (told.left == 0) {
      told.state = JobState::kDone;
    } else if (queue && queue->contains(job)) {
      const QueuedJob& queued = queue->at(job);
      const bool is_waiting = queued.state == "PENDING";
      told.state = is_waiting ? JobState::kWaiting : JobState::kRunning;
      told.detail = is_waiting ? queued.reason : queued.nodes;
    }
  }
  return jobs;
}

void require_not_submitted(const Study& study, const Store& store) {
  const fs::path& results = store.results_folder();
  const auto row = store.find_study(study.name);
  const auto blocks_per_job = submitted_blocks_per_job(results, study.name);
  if (!row || !blocks_per_job) {
    return;
  }
  const fs::path jobs = jobs_folder(results, study.name);
  const std::vector<std::int64_t> numbers = stored_jobs(jobs);
  std::int64_t blocks = 0;  // that the jobs were given, of a last job fewer than of others
  if (!numbers.empty()) {
    const Store last = Store::open_read_only(job_folder(jobs, numbers.back()));
    if (const auto given = last.find_study(study.name)) {
      for (const TrialRow& trial : last.trials(given->id)) {
        blocks = std::max(blocks, trial.block + 1);
      }
    }
    blocks = std::min(blocks, numbers.back() * *blocks_per_job);
  }
  if (std::ranges::any_of(store.trials(row->id), [&](const TrialRow& trial) {
        return is_left(trial) && trial.block < blocks;
      })) {
    const std::string submit = call_of(results.string(), "submit", study.name);
    throw Error(ErrorKind::kUsage,
                fmt::format("study {} was submitted: its trials are the jobs' to run. `{} "
                            "--gather` takes in what they have, `{}` sends again what is left; to "
                            "run them here instead, gather and remove {}",
                            study.name,
                            submit,
                            submit,
                            jobs.string()));
  }
}

std::vector<std::string> job_stores(const fs::path& results, const std::string& study) {
  const fs::path folder = jobs_folder(results, study);
  std::vector<std::string> stores;
  for (const std::int64_t job : stored_jobs(folder)) {
    stores.push_back(job_folder(folder, job).string());
  }
  return stores;
}

std::int64_t sum_over(const std::vector<StudyJob>& jobs, std::int64_t StudyJob::*count) {
  std::int64_t sum = 0;
  for (const StudyJob& job : jobs) {
    sum += job.*count;
  }
  return sum;
}

std::set<std::pair<std::string, std::int64_t>> ended_in_jobs(const fs::path& jobs,
                                                             const std::string& study) {
  std::set<std::pair<std::string, std::int64_t>> ended;
  for (const std::int64_t job : stored_jobs(jobs)) {
    const Store store = Store::open_read_only(job_folder(jobs, job));
    const auto row = store.find_study(study);
    std::map<std::int64_t, std::string> hashes;
    for (const CellRow& cell : row ? store.cells(row->id) : std::vector<CellRow>()) {
      hashes[cell.id] = cell.hash;
    }
    for (const TrialRow& trial : row ? store.trials(row->id) : std::vector<TrialRow>()) {
      if (!trial.superseded && !is_left(trial)) {
        ended.emplace(hashes[trial.cell_id], trial.block);
      }
    }
  }
  return ended;
}

std::vector<std::int64_t> jobs_to_submit(const std::vector<StudyJob>& jobs,
                                         std::int64_t blocks,
                                         std::int64_t blocks_per_job) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t job = 1; job <= job_count(blocks, blocks_per_job); ++job) {
    const auto known = std::ranges::find(jobs, job, &StudyJob::job);
    if (known == jobs.end() || known->state == JobState::kLeft ||
        known->state == JobState::kUnknown) {
      numbers.push_back(job);
    }
  }
  return numbers;
}

void require_known(const std::vector<StudyJob>& jobs) {
  if (find_program("sbatch") && find_program("squeue") &&
      std::ranges::find(jobs, JobState::kUnknown, &StudyJob::state) != jobs.end()) {
    throw Error(ErrorKind::kMachine,
                "squeue does not answer, so jobs that wait or run might be submitted twice; submit "
                "again once it answers");
  }
}

}  // namespace scalestudy
