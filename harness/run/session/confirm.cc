#include "harness/run/session/confirm.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/run/attempt/attempt.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/command/study_commands.h"
#include "harness/run/nccl/nccl_log.h"
#include "harness/run/nccl/nccl_profile.h"
#include "harness/run/nccl/nccl_settings.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

TrialRow confirm_trial() {
  TrialRow trial;
  trial.attempt = 0;
  return trial;
}

// "NCCL_ALGO" and its value.
std::vector<std::pair<std::string, std::string>> nccl_settings(const Cell& cell) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& [name, value] : cell.parameters) {
    const std::string text = format_value(value);
    if (is_environment_parameter(name) && environment_name(name).starts_with("NCCL_") &&
        !environment_name(name).starts_with("NCCL_DEBUG") && text != kDefaultValue) {
      settings.emplace_back(environment_name(name), text);
    }
  }
  return settings;
}

// How the names of the files begin that the run leaves.
constexpr const char* kLogPrefix = "nccl.";
constexpr const char* kProfilePrefix = "nccl-profile.";

// Our plugin for NCCL, in a build folder and in an installed one: bin/ or tests/ beside lib/. Empty
// where it is not there, and where the program has one of its own.
fs::path profiler_plugin(const Study& study, const Cell& cell) {
  constexpr const char* variable = "NCCL_PROFILER_PLUGIN";
  const fs::path plugin =
      executable_path().parent_path().parent_path() / "lib" / "libscalestudy_nccl_profiler.so";
  std::error_code ignored;
  const bool has_its_own = study.environment.contains(variable) ||
                           cell.parameters.contains(std::string("env.") + variable) ||
                           // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
                           std::getenv(variable) != nullptr;
  return has_its_own || !fs::exists(plugin, ignored) ? fs::path() : plugin;
}

NcclTrace read_logs(const fs::path& folder) {
  NcclTrace trace;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const bool is_log = entry.path().filename().string().starts_with(kLogPrefix);
    if (is_log || entry.path().filename().string().starts_with(kProfilePrefix)) {
      std::ifstream lines = open_log(entry.path());
      is_log ? read_nccl_log(lines, trace) : read_nccl_profile(lines, trace);
      lines.close();
      cap_log(entry.path());
    }
  }
  return trace;
}

// And a cell: its NCCL logs, and tells our plugin, in the folder of the run.
Cell confirm_cell(const Study& study, Cell cell, const fs::path& results) {
  const TrialFiles files(results, study.name, cell.hash, confirm_trial());
  cell.parameters["env.NCCL_DEBUG"] = "INFO";
  cell.parameters["env.NCCL_DEBUG_SUBSYS"] = kNcclSubsystems;
  const fs::path folder = files.results / files.folder;
  cell.parameters["env.NCCL_DEBUG_FILE"] = (folder / kLogPrefix).string() + "%h.%p.log";
  if (const fs::path plugin = profiler_plugin(study, cell); !plugin.empty()) {
    cell.parameters["env.NCCL_PROFILER_PLUGIN"] = plugin.string();
    cell.parameters["env.SCALESTUDY_NCCL_PROFILE"] = (folder / kProfilePrefix).string();
  }
  return cell;
}

// `command` is that of confirm_study and confirm_cell. Empty when `stop` ended the run.
Confirmation confirm_settings(const Study& study,
                              const Cell& cell,
                              const LaunchCommand& command,
                              const std::vector<std::string>& dropped,
                              const fs::path& results,
                              const RunWorld& world,
                              const std::atomic<bool>& stop) {
  const Study shortened = confirm_study(study);
  const std::optional<TrialRecord> record = run_attempt(
      AttemptTask{.study = shortened,
                  .cell = cell,
                  .command = command,
                  .trial = confirm_trial(),
                  .results = results,
                  .time_limit = {.limit_s = study.limits.timeout_s.value_or(kFirstTimeLimitS),
                                 .longest_s = {}},
                  .dropped = dropped},
      world,
      stop);
  Confirmation confirmation;
  if (!record) {
    return confirmation;
  }
  const TrialFiles files(results, study.name, cell.hash, confirm_trial());
  NcclTrace trace = read_logs(files.results / files.folder);
  trace.is_cut |= std::ranges::any_of(record->logs, [](const LogRow& log) {  // as it was kept
    return log.text.find(" nccl") != std::string::npos &&
           log.text.find(kLeftOut) != std::string::npos;
  });
  for (const auto& [variable, asked] : nccl_settings(cell)) {
    FoundSetting found = find_setting(trace, variable, asked);
    if (trace.is_cut) {
      found.state.reset();
      found.text += "; not confirmed, since what NCCL wrote could not be read to its end";
    }
    if (found.state && record->trial.state == TrialState::kOk) {
      confirmation.telemetry.push_back({"setting." + variable, *found.state, ""});
    }
    if (record->trial.state != TrialState::kOk) {
      found.text += fmt::format(
          "; the confirm run ended {}: {}", to_word(record->trial.state), record->trial.reason);
    }
    confirmation.logs.push_back(
        {LogStream::kEvent,
         "",
         fmt::format("{}={}: {} ({})", variable, asked, found.text, files.folder.string())});
  }
  return confirmation;
}

}  // namespace

bool has_confirm_run(const Study& study, const Cell& cell) {
  const bool is_asked =
      study.validity.confirm == Confirm::kAlways ||
      (study.validity.confirm == Confirm::kBuiltIn && study.workload != Workload::kCommand);
  return is_asked && may_use_gpu(study, cell) && !nccl_settings(cell).empty();
}

Study confirm_study(Study study) {
  if (study.workload != Workload::kCommand) {
    study.steps = {.warmup = 0, .measured = 1};
  }
  study.limits.retries = 0;
  study.validity.policy = DisturbancePolicy::kFlag;
  return study;
}

std::map<std::int64_t, Confirmation> confirm_cells(
    const PreparedStudy& prepared,
    const std::vector<TrialRow>& planned,
    const std::map<std::string, Checkout>& checkouts,
    const Store& store,
    const RunWorld& world,
    const std::function<void(const Progress&)>& on_progress,
    const std::atomic<bool>& stop) {
  std::map<std::int64_t, Confirmation> confirmations = prepared.confirmations;
  std::map<std::int64_t, std::int64_t> left;  // trials of those that get one
  Matrix talking;
  for (const auto& [id, cell] : prepared.cells) {
    confirmations.try_emplace(id);
    talking.cells.push_back(confirm_cell(prepared.study, cell, store.results_folder()));
  }
  for (const TrialRow& trial : planned) {
    if (confirmations.at(trial.cell_id).logs.empty() &&
        has_confirm_run(prepared.study, prepared.cells.at(trial.cell_id))) {
      ++left[trial.cell_id];
    }
  }
  if (left.empty()) {
    return confirmations;
  }
  const auto commands = make_commands(confirm_study(prepared.study), talking, checkouts, world);
  for (const auto& [id, trials] : left) {
    if (stop.load()) {
      break;
    }
    const Cell& cell = prepared.cells.at(id);
    Progress progress;
    progress.planned = trials;
    progress.waiting = cell.label + ": a run, not measured, shows what NCCL makes of its settings";
    on_progress(progress);
    confirmations[id] = confirm_settings(prepared.study,
                                         cell,
                                         commands.at(cell.hash),
                                         prepared.dropped_variables,
                                         store.results_folder(),
                                         world,
                                         stop);
  }
  return confirmations;
}

}  // namespace scalestudy
