// `run`: the missing trials, then the analysis, with progress for people and lines for logs.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/analysis/analyse.h"
#include "harness/analysis/compare/look_plan.h"
#include "harness/analysis/estimates/precision.h"
#include "harness/analysis/observe/observe.h"
#include "harness/analysis/search/search_race.h"
#include "harness/analysis/studies/settle.h"
#include "harness/base/paths.h"
#include "harness/cli/find_study.h"
#include "harness/cli/plan/refinement.h"
#include "harness/cli/plan/study_warnings.h"
#include "harness/cli/results/side_by_side.h"
#include "harness/cli/run/against.h"
#include "harness/cli/run/blocks_option.h"
#include "harness/cli/run/device_wait.h"
#include "harness/cli/run/option_checks.h"
#include "harness/cli/run/run_check.h"
#include "harness/cli/run/run_command.h"
#include "harness/cli/run/run_end.h"
#include "harness/cli/run/stop_handlers.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/host/system_machine.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/machine/busy_machine.h"
#include "harness/run/process/lock.h"
#include "harness/run/process/open_logs.h"
#include "harness/run/process/process_launcher.h"
#include "harness/run/run_study.h"
#include "harness/run/session/unstored.h"
#include "harness/run/study_changes.h"
#include "harness/study/parameters/machine_profile.h"
#include "harness/study/parameters/secret.h"
#include "harness/submit/jobs.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// What the user's shell sets and no trial gets: set in silence, it would be missed in silence.
void note_dropped(const Study& study, Terminal& terminal) {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    names.push_back(text.substr(0, text.find('=')));
  }
  const std::vector<std::string> dropped = dropped_variables(study.workload, names);
  if (!dropped.empty()) {
    terminal.note(
        fmt::format("trials do not get {} from your shell; to set it, make it a parameter: env.{}",
                    join(dropped, ", "),
                    dropped.front()));
  }
}

// A finished trial is worth more than the time until the other program is done.
void wait_for_writers(Store& store, Terminal& terminal) {
  store.wait_for_writers([&terminal, told = false](double waited_s) mutable {
    constexpr double patience_s = 5.0;
    if (waited_s >= patience_s && !told) {
      terminal.note("another program is writing results.db: waiting until it is done");
    }
    told = waited_s >= patience_s;
    return !stop_requested;
  });
}

// The results folder, and those of checks in it, which have stores of their own.
std::vector<std::filesystem::path> folders_of_runs(const std::string& results) {
  std::vector<std::filesystem::path> folders{results};
  std::ranges::copy_if(
      entries_of(check_folder(results)), std::back_inserter(folders), is_real_folder);
  return folders;
}

// What a killed run left: processes, and logs with what they printed.
void clear_up(const Study& study, const std::string& results, Terminal& terminal) {
  int ended = 0;
  std::vector<std::filesystem::path> left;
  for (const auto& folder : folders_of_runs(results)) {
    ended += end_leftovers(folder);
    if (has_left_logs(folder)) {
      left.push_back(folder);
    }
  }
  if (ended > 0) {
    terminal.note(fmt::format(
        "ended {} process{} that a killed run had left", ended, ended == 1 ? "" : "es"));
  }
  if (left.empty()) {
    return;
  }
  // Those of the study as it was run, too: its text may be another one now.
  std::vector<std::string> secrets = secret_values(study);
  if (Store::exists(results)) {
    const std::vector<std::string> stored = stored_secrets(Store::open_read_only(results));
    secrets.insert(secrets.end(), stored.begin(), stored.end());
  }
  for (const auto& folder : left) {
    for (const auto& [logs, why] : close_left_logs(folder, secrets)) {
      terminal.warn(
          fmt::format("{}: a killed run left logs there, and {}; read or remove them: they are "
                      "lost when their trial runs again, perhaps in this run",
                      logs.string(),
                      why));
    }
  }
}

OpenCellsRule open_cells_rule(const Study& study) {
  return [&study](const Store& store,
                  std::int64_t study_id,
                  std::int64_t blocks) -> std::optional<std::set<std::int64_t>> {
    const std::vector<std::size_t> looks = planned_looks(study.trials);
    if (std::ranges::find(looks, static_cast<std::size_t>(blocks)) == looks.end()) {
      return std::nullopt;
    }
    return open_cells(observe(store, study_id, study), study, blocks);
  };
}

NextBlocksRule next_blocks_rule(const Study& study) {
  return [&study](const Store& store, std::int64_t study_id, const std::string& plan) {
    return next_search_blocks(observe(store, study_id, study), store.trials(study_id), study, plan);
  };
}

ExitCode exit_code_of(const RunSummary& summary, const Study& study) {
  if (stop_requested || summary.out_of_time) {
    return ExitCode::kInterrupted;
  }
  return !summary.stopped.empty() || has_failed(summary, study) ? ExitCode::kFailedTrials
                                                                : ExitCode::kDone;
}

using RunTrials = std::function<RunSummary(const Study&, Store&, const RunOptions&)>;

struct RunOutcome {
  ExitCode exit_code = ExitCode::kDone;
  std::string study;                 // its name
  std::optional<Settling> settling;  // absent if nothing is open
};

RunOutcome run_in_store(const RunCommand& options,
                        const Study& study,
                        const std::string& results,
                        const RunTrials& run,
                        Terminal& terminal) {
  Store store = Store::open(results);
  terminal.hide(stored_secrets(store));
  wait_for_writers(store, terminal);
  const bool had_unstored = has_unstored(store);
  if (store_unstored(store)) {
    terminal.note(
        "stored a trial that had ended but could not be stored then (a full disk, or another "
        "program was writing results.db)");
  } else if (had_unstored && !has_unstored(store)) {
    terminal.note("removed unstored.json: it held no whole trial that the store still lacks");
  }
  require_not_submitted(study, store);
  const RunSummary summary = run(study,
                                 store,
                                 {.accept_changes = options.accept_changes,
                                  .retry_failed = options.retry_failed,
                                  .max_trials = options.max_trials,
                                  .blocks = read_blocks(options.blocks, study, store),
                                  .is_judged = options.gate,
                                  .tell = [&terminal](const std::string& text, bool is_warning) {
                                    is_warning ? terminal.warn(text) : terminal.note(text);
                                  }});
  const std::int64_t study_id = store.find_study(study.name).value().id;
  store.note_look(study_id);
  const Results analysed = analyse(store, study_id, study);
  store.replace_results(study_id, analysed);
  RunOutcome outcome{.study = study.name, .settling = {}};
  if (std::ranges::find(analysed.threats, ThreatKind::kUndecided, &ThreatRow::kind) !=
      analysed.threats.end()) {
    outcome.settling = what_settles(observe(store, study_id, study),
                                    study,
                                    analysed.comparisons,
                                    settle_budget_s(options.settle));
  }
  const bool is_read_again = options.against.empty() && options.study != "-";
  const std::string& again = is_read_again ? options.study : study.name;
  tell_end({.store = store,
            .study_id = study_id,
            .study = study,
            .summary = summary,
            .threats = analysed.threats,
            .settling = outcome.settling,
            .settles = !options.settle.empty(),
            .again = call_of(results, "run", again)},
           results,
           terminal);
  outcome.exit_code = exit_code_of(summary, study);  // of ^C while on_finish ran, too
  if (options.gate && outcome.exit_code == ExitCode::kDone) {
    outcome.exit_code = gate_study(study, store, study_id, analysed, terminal);
  }
  return outcome;
}

// A missing program is told at once, not after the wait for another run.
void require_workload(const Study& study) {
  if (study.workload != Workload::kCommand) {
    static_cast<void>(workload_program(to_word(study.workload)));
  }
}

// A change that has to be accepted is told at once, not after the wait for another run.
void require_no_change(const RunCommand& options,
                       const Study& study,
                       const std::string& results,
                       Terminal& terminal) {
  const bool counts = !options.accept_changes && !options.check && !options.profile;
  if (counts && Store::exists(results)) {
    const Store store = Store::open_read_only(results);
    terminal.hide(stored_secrets(store));
    require_unchanged_text(study, store);
    require_not_submitted(study, store);
  }
}

RunOutcome run_once(const RunCommand& options, const std::string& results, Terminal& terminal) {
  const Study declared = declared_study(options.study, options.overrides, results);
  Study study =
      options.against.empty() ? declared : study_against(declared, options.against, terminal);
  terminal.hide(secret_values(study));
  take_left_out(study, options.study, results);
  require_options_fit(options, study, results);
  require_no_change(options, study, results, terminal);
  require_workload(study);
  const RunLock lock(results);
  clear_up(study, results, terminal);
  install_stop_handlers(!study.cleanup.empty());
  note_dropped(study, terminal);
  ProcessLauncher launcher;
  SystemMachine machine;
  DeviceLocks devices(device_lock_folder());
  lock.tell_waiting(study.name);
  wait_for_devices(devices, study, machine, !options.no_wait, stop_requested, terminal);
  lock.tell_waiting("");
  const Nodes nodes =
      find_nodes(options.machine.empty() ? MachineProfile() : find_machine(options.machine),
                 inherited_variables(),
                 machine.host_name());
  for (const std::string& warning : study_warnings(study, expand(study), machine, nodes)) {
    terminal.warn(warning);
  }
  for (const std::string& warning : source_warnings(study, results)) {
    terminal.warn(warning);
  }
  const SystemClock clock;
  const RunWorld world{.launcher = launcher,
                       .machine = machine,
                       .clock = clock,
                       .precision =
                           [&study](const std::vector<TrialMean>& trials) {
                             const TrialPrecision known = trial_precision(study, trials);
                             return Precision{.relative_half_width = known.relative_half_width,
                                              .stop_at = known.stop_at};
                           },
                       .open_cells = open_cells_rule(study),
                       .further_cells = further_cells_rule(study, terminal),
                       .next_blocks = next_blocks_rule(study),
                       .nodes = nodes};
  if (const std::string why = study.is_remote() ? "" : busy_machine(world); !why.empty()) {
    terminal.warn(
        "this machine is busy now: " + why +
        ". Numbers measured now are not worth much. End that work first, or let trials wait "
        "until it is over (validity.idle_wait)");
  }
  const auto run = [&](const Study& which, Store& store, const RunOptions& how) {
    return run_study(
        which,
        store,
        world,
        how,
        [&](const Progress& progress) { options.show(progress, store, terminal); },
        stop_requested);
  };
  return options.check || options.profile
             ? RunOutcome{.exit_code = check_study(study, results, options.profile, run, terminal),
                          .study = study.name,
                          .settling = {}}
             : run_in_store(options, study, results, run, terminal);
}

}  // namespace

ExitCode run_command(const RunCommand& options, const std::string& results, Terminal& terminal) {
  settle_budget_s(options.settle);
  const RunOutcome first = run_once(options, results, terminal);
  if (options.settle.empty() || !first.settling || first.settling->more_blocks == 0 ||
      stop_requested) {
    return first.exit_code;
  }
  RunCommand more;
  more.study = first.study;
  more.overrides = {fmt::format("trials.count={}", first.settling->count)};
  more.no_wait = options.no_wait;
  more.gate = options.gate;
  more.machine = options.machine;
  more.show = options.show;
  return run_once(more, results, terminal).exit_code;
}

Verb run_verb() {
  const auto options = std::make_shared<RunCommand>();
  return {
      "run",
      VerbGroup::kStart,
      "Run the trials that a study still lacks, and print the answer",
      {{"study",
        &options->study,
        "Study file (- is standard input), or name of a study in the store"},
       {"--accept-changes",
        &options->accept_changes,
        "Continue although the study differs from the stored one",
        "ACCEPT_CHANGES"},
       {"--retry-failed",
        &options->retry_failed,
        "Retry trials that ended failed, timeout, oom, invalid or unsupported in earlier "
        "sessions",
        "RETRY_FAILED"},
       {"--max-trials", &options->max_trials, "Stop after this many trials", "MAX_TRIALS", "N"},
       {"--against",
        &options->against,
        "Compare with this git commit: both versions alternate in each block of one session. "
        "Instead of a commit: variables (NAME=VALUE, repeated, or a file of them), or a container "
        "(\"prefix: apptainer exec old.sif\"). Makes a study NAME-against-...",
        "",
        "COMMIT"},
       {"--blocks",
        &options->blocks,
        "Run only these blocks of the plan: one, or first-last, counted from 1",
        "BLOCKS",
        "N[-M]"},
       machine_option(options->machine),
       {"--check",
        &options->check,
        "Only try the study: one trial of each cell (with more than 20 cells, enough to try each "
        "value). These trials stay in RESULTS/check and enter no result. Shows what was extracted "
        "and how long the study will take"},
       {"--profile",
        &options->profile,
        "Like --check, but also record a trace of each rank's steps for Perfetto: phases, waits, "
        "collectives, and what its GPU did (by CUPTI). Your own command can write traces into "
        "$SCALESTUDY_TRACE. Under nsys profile, steps and phases are NVTX ranges"},
       {"--no-wait",
        &options->no_wait,
        "Exit 75 at once if another run measures on the same CPUs or GPUs, instead of waiting for "
        "it",
        "NO_WAIT"},
       {"--gate",
        &options->gate,
        "Exit 4 if a target is missed, 5 if one is undecided. With --against: 4 if your version is "
        "slower in a cell, 5 if that is undecided",
        "GATE"},
       {"--settle",
        &options->settle,
        "If comparisons are open when the study is finished, run the further blocks that will "
        "probably settle them: at most four times its trials, and only as many as fit into BUDGET, "
        "e.g. --settle=20min. This happens once, and the report says that the results decided how "
        "many",
        "SETTLE",
        "[=BUDGET]"},
       override_option(options->overrides)},
      "Examples:\n  scalestudy run studies/quickstart.yaml\n"
      "  scalestudy run studies/small-mlp-second-device.yaml --set trials.count=3 "
      "--results /scratch/try",
      with_options(options, run_command)};
}

}  // namespace scalestudy
