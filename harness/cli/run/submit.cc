// `submit`: a study as Slurm jobs, and what they have back into one store.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/replace_file.h"
#include "harness/cli/exchange/merge_into.h"
#include "harness/cli/find_study.h"
#include "harness/cli/plan/refinement.h"
#include "harness/cli/plan/study_warnings.h"
#include "harness/cli/verb.h"
#include "harness/host/system_machine.h"
#include "harness/run/process/lock.h"
#include "harness/store/added.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/machine_profile.h"
#include "harness/study/parameters/secret.h"
#include "harness/submit/allocation.h"
#include "harness/submit/jobs.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/shell_word.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

struct SubmitOptions {
  std::string study;
  std::vector<std::string> overrides;
  std::string machine;
  std::optional<std::int64_t> blocks_per_job;
  bool dry_run = false;
  bool prepare = false;
  bool gather = false;
  std::string resubmit;  // "": no; "true": as often as by default; a number
};

constexpr std::int64_t kResubmissions = 10;
constexpr std::int64_t kMostResubmissions = 1000;

// How often a follow-up may submit again; absent: there is none.
std::optional<std::int64_t> resubmissions(const SubmitOptions& options) {
  if (options.resubmit.empty()) {
    return std::nullopt;
  }
  const auto count =
      options.resubmit == "true" ? std::optional(kResubmissions) : parse_integer(options.resubmit);
  if (!count || *count < 0 || *count > kMostResubmissions) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--resubmit={}: a whole number from 0 to {} is required",
                            options.resubmit,
                            kMostResubmissions));
  }
  if (options.gather || options.prepare) {
    throw Error(ErrorKind::kUsage,
                "--resubmit submits jobs: it cannot be combined with --gather or --prepare");
  }
  return count;
}

// Trials that had ended when this follow-up was submitted; absent: somebody calls by hand. Takes
// the variable away, or sbatch would hand it to the jobs.
std::optional<std::int64_t> take_ended_before() {
  const char* text = std::getenv(kEndedBefore);  // NOLINT(concurrency-mt-unsafe): one thread
  const auto ended = text == nullptr ? std::nullopt : parse_integer(text);
  unsetenv(kEndedBefore);  // NOLINT(concurrency-mt-unsafe): one thread
  return ended;
}

Batch batch_of(const SubmitOptions& options,
               const Study& study,
               const std::string& results,
               const MachineProfile& machine) {
  Batch batch;
  batch.study = study.name;
  batch.name = jobs_name(results, study.name);
  batch.program = executable_path();
  batch.folder = jobs_folder(results, study.name);
  batch.working_folder = fs::current_path();
  batch.blocks_per_job =
      options.blocks_per_job.value_or(submitted_blocks_per_job(results, study.name).value_or(1));
  batch.machine = machine;
  return batch;
}

// What jobs of the study, with what was added to it, have to do.
void set_work(const Study& whole, const Store* store, Batch& batch) {
  batch.blocks = block_count(expand(whole));
  batch.request = job_request(whole, store, batch.machine, batch.blocks_per_job);
}

// Sets what is to be sent of these jobs; says so where that is nothing.
bool has_jobs(const std::vector<StudyJob>& jobs, Batch& batch, Terminal& terminal) {
  batch.jobs = jobs_to_submit(jobs, batch.blocks, batch.blocks_per_job);
  if (batch.jobs.empty()) {
    terminal.note(fmt::format("{}: every job is done, waiting or running", batch.study));
  }
  return !batch.jobs.empty();
}

// Cells that the gathered trials ask for (refine), once all have ended: their blocks begin where a
// job's do.
std::vector<Addition> refined_cells(const Study& study,
                                    std::int64_t blocks_per_job,
                                    const Store& store,
                                    Terminal& terminal) {
  const FurtherCellsRule further_cells = further_cells_rule(study, terminal);
  const std::int64_t study_id = store.find_study(study.name).value().id;
  const bool has_left = std::ranges::any_of(
      store.trials(study_id), [](const TrialRow& trial) { return is_pending(trial.state); });
  if (!further_cells || has_left) {
    return {};
  }
  std::vector<Addition> more = further_cells(store, study_id);
  for (Addition& addition : more) {
    const std::int64_t jobs_before = (addition.first_block + blocks_per_job - 1) / blocks_per_job;
    addition.first_block = jobs_before * blocks_per_job;
  }
  return more;
}

// What the jobs to send would hold of the cluster, for the trials that they have left.
void note_allocation(const Study& whole,
                     const Store* store,
                     const Batch& batch,
                     Terminal& terminal) {
  const auto ended = ended_in_jobs(batch.folder, whole.name);
  const auto is_sent = [&](const Cell& cell, std::int64_t block) {
    return std::ranges::find(batch.jobs, block / batch.blocks_per_job + 1) != batch.jobs.end() &&
           !ended.contains({cell.hash, block});
  };
  const std::string text = allocation_text(
      whole, planned_allocation(whole, expand(whole), store, is_sent), /*is_over=*/false);
  if (!text.empty()) {
    terminal.note(whole.name + ": " + text);
  }
}

// What all jobs held for the trials that were gathered.
void note_held(const Study& study, const std::string& results, Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  const Study whole = with_additions(study, store);
  const std::string text =
      allocation_text(whole, ended_allocation(whole, expand(whole), store), /*is_over=*/true);
  if (!text.empty()) {
    terminal.note(whole.name + ": " + text);
  }
}

// The script that would be sent now; the store stays as it is.
void show_script(const Study& study,
                 const std::string& results,
                 const std::optional<std::int64_t>& more,
                 Batch& batch,
                 Terminal& terminal) {
  std::optional<Store> store;
  if (Store::exists(results)) {
    store = Store::open_read_only(results);
  }
  const Store* known = store ? &*store : nullptr;
  Study whole = store ? with_additions(study, *store) : study;
  require_submittable(whole, known, results, batch.blocks_per_job);
  if (store && store->find_study(study.name)) {
    const std::vector<Addition> added =
        refined_cells(study, batch.blocks_per_job, *store, terminal);
    whole.additions.insert(whole.additions.end(), added.begin(), added.end());
  }
  set_work(whole, known, batch);
  const std::vector<StudyJob> jobs = study_jobs(results, study.name);
  if (has_jobs(jobs, batch, terminal)) {
    terminal.out(batch_script(batch));
    note_allocation(whole, known, batch, terminal);
  }
  if (more) {
    terminal.out(follow_up_script(batch, *more, sum_over(jobs, &StudyJob::ended)));
  }
}

// Submits a follow-up, unless one waits already.
void follow_up(const Batch& batch,
               const std::string& results,
               std::int64_t more,
               Terminal& terminal) {
  if (is_followed_up(batch.name)) {
    terminal.note(fmt::format("{}: a follow-up waits already, and stays as it is", batch.study));
    return;
  }
  const fs::path script = batch.folder / "resubmit.sh";
  replace_file(
      script,
      follow_up_script(batch, more, sum_over(study_jobs(results, batch.study), &StudyJob::ended)));
  const std::string id = submit_script(script);
  terminal.note(fmt::format(
      "{}: Slurm job {} waits for these to end, gathers{} (log: {}); `scancel --name={}` ends all "
      "of them",
      batch.study,
      id,
      more == 0 ? "" : ", and submits what is left, up to " + format_count(more, "time"),
      (batch.folder / "resubmit.log").string(),
      batch.name));
}

// Whether a follow-up may submit what is left; says why not. No trial may have ended since the last
// submission: then the next would be in vain, too.
bool may_resubmit(const Batch& batch,
                  std::int64_t before,
                  std::int64_t more,
                  const std::vector<StudyJob>& jobs,
                  Terminal& terminal) {
  const std::int64_t left = sum_over(jobs, &StudyJob::left);
  const std::string rest = format_count(left, "trial") + (left == 1 ? " is" : " are") + " left";
  if (sum_over(jobs, &StudyJob::ended) <= before) {
    terminal.warn(
        fmt::format("{}: {}, and none ended since the last submission. Look at {}, then "
                    "submit again",
                    batch.study,
                    rest,
                    (job_folder(batch.folder, batch.jobs.front()) / "slurm.log").string()));
    return false;
  }
  if (more == 0) {
    terminal.warn(
        fmt::format("{}: {} after the last resubmission that was allowed; submit again, "
                    "with a larger --resubmit=N",
                    batch.study,
                    rest));
    return false;
  }
  return true;
}

// Takes what the jobs have into the store.
void gather(const SubmitOptions& options,
            const Study& study,
            const std::string& results,
            Terminal& terminal) {
  if (options.dry_run || options.prepare) {
    throw Error(ErrorKind::kUsage, "--gather cannot be combined with --dry-run or --prepare");
  }
  const std::vector<std::string> stores = job_stores(results, study.name);
  if (stores.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("study {} was not submitted from {}", study.name, results));
  }
  merge_into(results, stores, terminal, true);
  note_held(study, results, terminal);
}

// Submits the jobs of a script that was written, and says how to follow them.
void send_jobs(const Batch& batch,
               const fs::path& script,
               const std::string& results,
               Terminal& terminal) {
  const std::string id = submit_script(script);
  terminal.note(
      fmt::format("{}: {} as Slurm job {} ({}); `{}` tells how far they are, "
                  "`{} --gather` takes in what they have",
                  batch.study,
                  format_count(std::ssize(batch.jobs), "job"),
                  id,
                  script.string(),
                  call_of(results, "status", batch.study),
                  call_of(results, "submit", batch.study)));
  replace_file(batch.folder / kSentFile, id + "\n");
}

// What can be said of the study before a job knows its machine.
void warn_about(const Study& study, const std::string& results, Terminal& terminal) {
  std::ranges::for_each(declared_warnings(study, expand(study)),
                        [&](const std::string& warning) { terminal.warn(warning); });
  std::ranges::for_each(source_warnings(study, results),
                        [&](const std::string& warning) { terminal.warn(warning); });
}

ExitCode submit_study(const SubmitOptions& options,
                      const std::string& results,
                      Terminal& terminal) {
  Study study = declared_study(options.study, options.overrides, results);
  std::optional<std::int64_t> more = resubmissions(options);
  terminal.hide(secret_values(study));
  if (options.gather) {
    gather(options, study, results, terminal);
    return ExitCode::kDone;
  }
  take_left_out(study, options.study, results);
  if (study.is_remote()) {
    throw Error(ErrorKind::kUsage,
                study.name +
                    ": its command runs elsewhere (where: remote), so that jobs would reserve "
                    "devices for nothing; start it with `scalestudy run`");
  }
  warn_about(study, results, terminal);
  const MachineProfile machine = find_machine(options.machine);
  Batch batch = batch_of(options, study, results, machine);
  if (options.dry_run) {
    show_script(study, results, more, batch, terminal);
    return ExitCode::kDone;
  }
  batch_script(batch);  // refuses a folder before anything is made in it
  const RunLock lock(results);
  Store store = Store::open(results);
  prepare_jobs(study, store, batch.blocks_per_job, SystemMachine().host_name());
  if (const std::vector<Addition> added =
          refined_cells(study, batch.blocks_per_job, store, terminal);
      !added.empty()) {
    store.add(store.find_study(study.name).value().id, added);
    prepare_jobs(study, store, batch.blocks_per_job, SystemMachine().host_name());
  }
  const Study whole = with_additions(study, store);
  set_work(whole, &store, batch);
  const std::vector<StudyJob> jobs = study_jobs(results, study.name);
  if (!options.prepare) {
    require_known(jobs);
  }
  const bool is_whole =
      std::ranges::all_of(jobs, [](const StudyJob& job) { return job.state == JobState::kDone; });
  const bool has_some = has_jobs(jobs, batch, terminal);
  if (const auto before = take_ended_before(); has_some && more && before) {
    if (!may_resubmit(batch, *before, *more, jobs, terminal)) {
      return ExitCode::kFailedTrials;
    }
    more = *more - 1;
  }
  if (!machine.name.empty() && !is_whole) {
    replace_file(batch.folder / "machine.yaml", format_machine(machine));
  }
  if (has_some) {
    const fs::path script = batch.folder / "submit.sh";
    replace_file(script, batch_script(batch));
    note_allocation(whole, &store, batch, terminal);
    if (options.prepare) {
      terminal.note(
          fmt::format("{}: jobs {} are to be run by hand, each from its folder in {}; {} "
                      "says how Slurm would",
                      study.name,
                      format_ranges(batch.jobs),
                      batch.folder.string(),
                      script.string()));
      return ExitCode::kDone;
    }
    send_jobs(batch, script, results, terminal);
  }
  if (more && !is_whole) {
    follow_up(batch, results, *more, terminal);
  }
  return ExitCode::kDone;
}

}  // namespace

Verb submit_verb() {
  const auto options = std::make_shared<SubmitOptions>();
  return {
      "submit",
      VerbGroup::kCluster,
      "Run a study as Slurm jobs and gather their results",
      {{"study",
        &options->study,
        "Study file (- is standard input), or name of a study in the store"},
       {"--blocks-per-job",
        &options->blocks_per_job,
        "Blocks of the plan that a job runs, one after the other (1)",
        "BLOCKS_PER_JOB",
        "N"},
       machine_option(options->machine),
       {"--dry-run", &options->dry_run, "Print the script that sbatch would get, and do nothing"},
       {"--prepare",
        &options->prepare,
        "Make the jobs' folders and the script, and submit nothing"},
       {"--gather",
        &options->gather,
        "Merge what the jobs have so far into the results; can be repeated at any time"},
       {"--resubmit",
        &options->resubmit,
        "Once all jobs have ended, submit what is left, at most N times (10), until the study is "
        "complete or no trial ends between two submissions",
        {},
        "[=N]"},
       override_option(options->overrides)},
      "Each job has its own results folder (RESULTS/jobs/STUDY/job1, ...), so no two jobs write "
      "to\n"
      "one store. A job that is preempted or runs out of time is queued again and continues. A\n"
      "cancelled job is not, and some sites cancel preempted jobs: with --resubmit, a small job\n"
      "starts once all others have ended and submits what is left. Account, partition, constraint\n"
      "and the like come from the machine's profile: docs/how-to/cluster-jobs.md. If the study "
      "refines\n"
      "a break-even, submit it again after --gather to run the added cells.\n\n"
      "Examples:\n  scalestudy submit studies/quickstart.yaml --machine cluster --dry-run\n"
      "  scalestudy submit studies/quickstart.yaml --machine cluster --resubmit\n"
      "  scalestudy submit quickstart --gather",
      with_options(options, submit_study)};
}

}  // namespace scalestudy
