// `submit`: a study as Slurm jobs, and what they have back into one store.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/cli/exchange/merge_into.h"
#include "harness/cli/find_study.h"
#include "harness/cli/plan/refinement.h"
#include "harness/cli/verb.h"
#include "harness/cli/verb_call.h"
#include "harness/host/system_machine.h"
#include "harness/run/process/lock.h"
#include "harness/store/added.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/machine_profile.h"
#include "harness/study/parameters/secret.h"
#include "harness/submit/jobs.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

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
};

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

// Those that are neither in the queue nor done; of a study that was not submitted yet, all.
std::vector<std::int64_t> jobs_to_submit(const Batch& batch, const std::vector<StudyJob>& jobs) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t job = 1; (job - 1) * batch.blocks_per_job < batch.blocks; ++job) {
    const auto known = std::ranges::find(jobs, job, &StudyJob::job);
    if (known == jobs.end() || known->state == JobState::kLeft ||
        known->state == JobState::kUnknown) {
      numbers.push_back(job);
    }
  }
  return numbers;
}

// Sets what is to be sent; says so where that is nothing.
bool has_jobs(const Study& study, const std::string& results, Batch& batch, Terminal& terminal) {
  batch.jobs = jobs_to_submit(batch, study_jobs(results, study.name));
  if (batch.jobs.empty()) {
    terminal.note(fmt::format("{}: every job is done, waiting or running", study.name));
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
  const bool has_left = std::ranges::any_of(store.trials(study_id), [](const TrialRow& trial) {
    return trial.state == TrialState::kPlanned || trial.state == TrialState::kRunning;
  });
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

// The script that would be sent now; the store stays as it is.
void show_script(const Study& study, const std::string& results, Batch& batch, Terminal& terminal) {
  std::optional<Store> store;
  Study whole = study;
  if (fs::exists(fs::path(results) / "results.db")) {
    store = Store::open_read_only(results);
    whole = with_additions(study, *store);
    if (store->find_study(study.name)) {
      const std::vector<Addition> more =
          refined_cells(study, batch.blocks_per_job, *store, terminal);
      whole.additions.insert(whole.additions.end(), more.begin(), more.end());
    }
  }
  set_work(whole, store ? &*store : nullptr, batch);
  if (has_jobs(study, results, batch, terminal)) {
    terminal.out(batch_script(batch));
  }
}

ExitCode submit_study(const SubmitOptions& options,
                      const std::string& results,
                      Terminal& terminal) {
  const Study study = declared_study(options.study, options.overrides, results);
  terminal.hide(secret_values(study));
  if (options.gather) {
    const std::vector<std::string> stores = job_stores(results, study.name);
    if (stores.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("study {} was not submitted from {}", study.name, results));
    }
    merge_into(results, stores, terminal, true);
    return ExitCode::kDone;
  }
  if (study.is_remote()) {
    throw Error(ErrorKind::kUsage,
                study.name +
                    ": its command runs elsewhere (where: remote), so that jobs would reserve "
                    "devices for nothing; start it with `scalestudy run`");
  }
  const MachineProfile machine = find_machine(options.machine);
  Batch batch = batch_of(options, study, results, machine);
  if (options.dry_run) {
    show_script(study, results, batch, terminal);
    return ExitCode::kDone;
  }
  batch_script(batch);  // refuses a folder before anything is made in it
  const RunLock lock(results);
  Store store = Store::open(results);
  prepare_jobs(study, store, batch.blocks_per_job, SystemMachine().host_name());
  if (const std::vector<Addition> more =
          refined_cells(study, batch.blocks_per_job, store, terminal);
      !more.empty()) {
    store.add(store.find_study(study.name).value().id, more);
    prepare_jobs(study, store, batch.blocks_per_job, SystemMachine().host_name());
  }
  set_work(with_additions(study, store), &store, batch);
  if (!has_jobs(study, results, batch, terminal)) {
    return ExitCode::kDone;
  }
  if (!machine.name.empty()) {
    std::ofstream(batch.folder / "machine.yaml") << format_machine(machine);
  }
  const fs::path script = batch.folder / "submit.sh";
  std::ofstream(script) << batch_script(batch);
  if (options.prepare) {
    terminal.note(
        fmt::format("{}: jobs {} are to be run by hand, each from its folder in {}; {} "
                    "says how Slurm would",
                    study.name,
                    array_text(batch.jobs),
                    batch.folder.string(),
                    script.string()));
    return ExitCode::kDone;
  }
  const std::string id = submit_script(script);
  terminal.note(
      fmt::format("{}: {} as Slurm job {} ({}); `{}` tells how far they are, "
                  "`{} --gather` takes in what they have",
                  study.name,
                  format_count(static_cast<std::int64_t>(batch.jobs.size()), "job"),
                  id,
                  script.string(),
                  call_of(results, "status", study.name),
                  call_of(results, "submit", study.name)));
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
        "Merge what the jobs have so far into the results; may be done again at any time"},
       override_option(options->overrides)},
      "Each job has a results folder of its own (RESULTS/jobs/STUDY/job1, ...), so that no two\n"
      "write one store. A job that is preempted, or out of time, is queued again and goes on "
      "where\n"
      "it was. Account, partition, constraint and the like are those of the machine's profile:\n"
      "docs/how-to/cluster-jobs.md. Of a study that refines a break-even, submitted again after "
      "--gather: "
      "the\n"
      "cells that its trials ask for.\n\n"
      "Examples:\n  scalestudy submit studies/quickstart.yaml --machine cluster --dry-run\n"
      "  scalestudy submit studies/quickstart.yaml --machine cluster\n"
      "  scalestudy submit quickstart --gather",
      with_options(options, submit_study)};
}

}  // namespace scalestudy
