#include "harness/run/attempt/attempt.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/stop.h"
#include "harness/run/attempt/beside.h"
#include "harness/run/attempt/provenance.h"
#include "harness/run/attempt/read_output.h"
#include "harness/run/command/by_hand.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/command/node_command.h"
#include "harness/run/machine/disturbance.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/outcome/result_files.h"
#include "harness/run/outcome/step_coverage.h"
#include "harness/run/outcome/trial_record.h"
#include "harness/run/output/fail_lines.h"
#include "harness/run/process/open_logs.h"
#include "harness/run/process/process_launcher.h"
#include "harness/study/declared/reading.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/text.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/writer.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// Empty: the same attempt may have been interrupted earlier.
// - has_own: the command names {trial_folder}.
void make_folder(const TrialFiles& files, bool has_own) {
  const fs::path folder = has_own ? files.own_folder() : files.results / files.folder;
  std::error_code error;
  remove_tree(files.results / files.folder);
  if (!create_private_folder(folder, error)) {
    store_mark(files.results);  // throws where all of the results are away
    throw Error(
        ErrorKind::kStore,
        fmt::format("{}: {}. The trial's output must go there", folder.string(), error.message()));
  }
}

LaunchRequest make_request(const AttemptTask& task,
                           const LaunchCommand& command,
                           const TrialFiles& files) {
  LaunchRequest request;
  request.argv = command.argv;
  request.environment = command.environment;
  request.working_folder = command.working_folder;
  request.environment["SCALESTUDY_PARAMETERS"] =
      protocol::format_parameters(trial_parameters(task.study, task.cell));
  request.environment["SCALESTUDY_OUTPUT"] = files.protocol_path().string();
  request.environment["SCALESTUDY_STUDY"] = task.study.name;
  request.environment["SCALESTUDY_CELL"] = task.cell.hash;
  request.environment["SCALESTUDY_TRIAL"] = std::to_string(task.trial.id);
  request.environment["SCALESTUDY_BLOCK"] = std::to_string(task.trial.block);
  request.environment["SCALESTUDY_ATTEMPT"] = std::to_string(task.trial.attempt);
  request.environment["SCALESTUDY_STORE"] = store_mark(files.results);
  request.environment["SCALESTUDY_SESSION"] = std::to_string(task.trial.session_id.value_or(0));
  request.unset_environment = task.dropped;
  if (task.is_traced) {
    request.environment["SCALESTUDY_TRACE"] = (files.results / files.folder).string();
  } else {
    request.unset_environment.emplace_back("SCALESTUDY_TRACE");
  }
  request.unset_environment.insert(
      request.unset_environment.end(), command.unset.begin(), command.unset.end());
  request.stdout_path = files.stdout_path();
  request.stderr_path = files.stderr_path();
  request.output_path = files.protocol_path();
  request.timeout_s = task.time_limit.limit_s;
  request.silence_s = task.study.limits.silence_s;
  return request;
}

// As the trial is run, but for a time limit that was found for trials alone.
LaunchRequest beside_request(LaunchRequest request, const Study& study) {
  request.timeout_s = study.limits.timeout_s.value_or(kFirstTimeLimitS);
  return request;
}

// What the limit was, and which trial it follows from.
void tell_time_limit(const TimeLimit& limit, const LaunchResult& launch, TrialRecord& result) {
  result.telemetry.push_back({"time_limit_s", limit.limit_s, "s"});
  if (limit.longest_s) {
    result.telemetry.push_back({"time_limit_longest_s", *limit.longest_s, "s"});
    if (launch.ending == LaunchEnding::kTimeout) {
      result.trial.reason += fmt::format(
          ", which is what a trial gets where the longest before it took {:.3g} s; limits.timeout "
          "sets another limit",
          *limit.longest_s);
    }
  }
}

// Marks a trial that ended ok, and does not let it count where the study says so.
void judge_conditions(const AttemptTask& task,
                      const Load& load,
                      const std::vector<Reading>& readings,
                      Machine& machine,
                      TrialRow& trial) {
  if (trial.state != TrialState::kOk) {
    return;
  }
  const Validity& validity = task.study.validity;
  const Disturbed disturbed = find_disturbance(
      validity, load, readings, machine.cores(), may_use_gpu(task.study, task.cell));
  trial.disturbance = disturbed.by;
  if (disturbed.by != Disturbance::kNone && validity.policy != DisturbancePolicy::kFlag) {
    trial.state = TrialState::kInvalid;
    trial.reason = disturbed.why;
  }
}

// What a trial wrote cannot be judged when its file system is away: it is no failure of the trial.
void require_results(const Outcome& outcome, const TrialFiles& files) {
  std::error_code error;
  if (outcome.state != TrialState::kOk && !fs::exists(files.results / "results.db", error)) {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: was removed or moved, so that nobody knows how the trial ended "
                            "({}); once it is back, the next run runs it again",
                            (files.results / "results.db").string(),
                            outcome.reason));
  }
}

// That the ranks must find themselves on.
std::int64_t nodes_of(const AttemptTask& task) {
  return task.command.links ? task.command.links->nodes : task.cell.nodes;
}

// What the trial's links were, where it was to have some.
void add_links(const AttemptTask& task,
               const TrialFiles& files,
               std::vector<TelemetryRow>& telemetry,
               std::vector<LogRow>& notes) {
  if (!task.command.links) {
    return;
  }
  std::ifstream told = open_log(files.protocol_path().string() + ".links");
  FoundLinks links = find_links(told, *task.command.links);
  std::ranges::move(links.telemetry, std::back_inserter(telemetry));
  notes.push_back({LogStream::kEvent, "", std::move(links.text)});
}

// What is lost of the logs is told, after `losses` of other files.
void close_logs(OpenLogs& logs, TrialRecord& result, std::vector<std::string> losses = {}) {
  const bool is_ok = result.trial.state == TrialState::kOk;
  std::ranges::move(is_ok ? logs.close() : logs.close_unfinished(), std::back_inserter(losses));
  for (std::string& loss : losses) {
    result.logs.push_back({LogStream::kEvent, "", std::move(loss)});
  }
}

// A trial that has ended, and what the machine said meanwhile.
struct Ran {
  LaunchResult launch;
  StepLines step_lines;
  bool oom_killed = false;
  Load load;
  std::unique_ptr<MachineWatch> watch;  // nullptr: the devices are elsewhere
  std::vector<Reading> readings;
  std::vector<LogRow> notes;  // of its cleanup
};

Ran launch_watched(const AttemptTask& task,
                   LaunchRequest request,
                   const RunWorld& world,
                   const std::atomic<bool>& stop) {
  Ran ran;
  if (!task.study.is_remote()) {
    ran.watch = world.machine.watch();
    request.look = [&] { ran.watch->look(); };
  }
  const CpuTimes before = world.machine.cpu_times();
  const std::optional<std::int64_t> kills_before = world.machine.oom_kills();
  const double started_s = world.clock.monotonic_s();
  const std::int64_t suspended_before_ms = suspended_ms;
  ran.launch = world.launcher.launch(request, stop);
  const double elapsed_s = world.clock.monotonic_s() - started_s;
  ran.readings = ran.watch ? ran.watch->end() : std::vector<Reading>();
  const CpuTimes after = world.machine.cpu_times();
  const std::optional<std::int64_t> kills_after = world.machine.oom_kills();
  ran.oom_killed = kills_before && kills_after && *kills_after > *kills_before;
  if (suspended_ms != suspended_before_ms) {
    ran.readings.clear();  // ^Z had the watch go on after the trial
    ran.watch.reset();
    return ran;
  }
  // What is not counted as the trial's would be taken for somebody else's.
  if (!task.command.is_elsewhere) {
    ran.load = measure_load(before,
                            after,
                            elapsed_s,
                            own_cpu_s(ran.launch, before, after, task.command.links.has_value()),
                            world.machine.cores());
  }
  return ran;
}

// What the trial came to, and what it measured.
void take(const AttemptTask& task,
          const TrialFiles& files,
          const TrialEvidence& evidence,
          Ran ran,
          Machine& machine,
          TrialRecord& result) {
  const Outcome outcome = judge_trial(evidence);
  require_results(outcome, files);
  result.trial.state = outcome.state;
  result.trial.reason = outcome.reason;
  result.trial.wall_s = ran.launch.wall_s;
  result.trial.exit_code = ran.launch.exit_code;
  result.trial.signal = ran.launch.signal;
  result.trial.foreign_load = ran.load.foreign;
  judge_conditions(task, ran.load, ran.readings, machine, result.trial);
  result.series = series_rows(evidence.record);
  if (!task.study.extract.empty()) {
    result.trial.rules_hash = rules_hash(task.study);
  }
  if (ran.watch) {
    std::ranges::copy(measured_readings(evidence.record, *ran.watch),
                      std::back_inserter(ran.readings));
  }
  const bool has_several_nodes = task.command.hosts.size() > 1;
  if (has_several_nodes) {  // one node's energy is that of a part
    std::erase_if(ran.readings,
                  [](const Reading& reading) { return reading.name.ends_with("_energy_j"); });
  }
  result.telemetry = telemetry_rows(
      evidence.record, ran.launch, ran.load, ran.readings, task.command.cores_per_rank);
  take_step_coverage(ran.launch, ran.step_lines, result);
  if (task.command.is_elsewhere || has_several_nodes) {  // of what waits here, or of a part
    std::erase_if(result.telemetry, [](const TelemetryRow& row) {
      return row.name == "cpu_s" || row.name == "system_s" || row.name == "max_rss_bytes";
    });
  }
  if (!ran.notes.empty()) {
    result.telemetry.push_back({"cleanup_failed", 1.0, "1"});
  }
  tell_time_limit(task.time_limit, ran.launch, result);
  add_links(task, files, result.telemetry, ran.notes);
  for (const std::string& program : task.edited_programs) {
    result.telemetry.push_back({std::string(kEditedFact) + program, 1.0, "1"});
  }
  result.logs = log_rows(files, evidence.record, ran.launch, outcome.state != TrialState::kOk);
  std::ranges::move(ran.notes, std::back_inserter(result.logs));
  std::ranges::copy(task.confirmation.telemetry, std::back_inserter(result.telemetry));
  std::ranges::copy(task.confirmation.logs, std::back_inserter(result.logs));
}

}  // namespace

std::optional<TrialRecord> run_attempt(const AttemptTask& task,
                                       const RunWorld& world,
                                       const std::atomic<bool>& stop) {
  TrialRecord result;
  result.trial = task.trial;
  result.trial.oversubscribed = task.command.oversubscribed;
  result.trial.hosts = task.study.is_remote()       ? ""
                       : task.command.hosts.empty() ? world.machine.host_name()
                                                    : join(task.command.hosts, ",");
  if (!task.command.unsupported.empty()) {
    result.trial.state = TrialState::kUnsupported;
    result.trial.reason = task.command.unsupported;
    return result;
  }
  const TrialFiles files(
      task.results, task.study.name, task.cell.hash, task.trial, task.names_plan);
  OpenLogs logs(task.results, task.study, files.folder.filename().string());
  LaunchCommand command = with_free_port(task.command);
  make_folder(files, has_placeholder(command, kTrialFolder));
  command = with_trial_folder(std::move(command), files.own_folder().string());
  const LaunchRequest request = make_request(task, command, files);
  const LaunchRequest beside = beside_request(request, task.study);
  write_trial_script(request, command.setup, task.study, files);
  const std::vector<std::string> secrets = secret_values(task.study);
  const BesideResult setup =
      run_beside("setup", command.setup, beside, secrets, world.launcher, stop);
  if (setup.is_interrupted || setup.failure) {
    finish_beside(command, beside, secrets, world.launcher, stop, result.logs);
    if (setup.is_interrupted) {
      return std::nullopt;
    }
    result.trial.state = setup.failure->state;
    result.trial.reason = setup.failure->reason;
    result.trial.exit_code = setup.exit_code;
    mask_secrets(result, secrets);
    return result;
  }

  const ResultFiles result_files(task.study, task.cell, files, command.working_folder);
  Ran ran = launch_watched(task, request, world, stop);
  finish_beside(command, beside, secrets, world.launcher, stop, ran.notes);
  logs.reopen();
  if (ran.launch.ending == LaunchEnding::kInterrupted) {
    return std::nullopt;
  }
  const bool is_command = task.study.workload == Workload::kCommand;
  const FailLines fail_lines = read_fail_lines(task, files, ran.launch);
  const TrialEvidence evidence{
      .launch = ran.launch,
      .record = read_output(task, files, result_files, ran.launch, ran.step_lines),
      .steps = task.study.steps,
      .ranks = is_command ? std::nullopt : std::optional(task.cell.devices),
      .nodes = is_command ? std::nullopt : std::optional(nodes_of(task)),
      .has_protocol_codes = has_protocol_codes(task, files),
      .oom_killed = ran.oom_killed,
      .stderr_tail = read_stderr_tail(files),
      .fail_line = fail_lines.declared,
      .results = task.results.string(),
      .timeout_s = request.timeout_s,
      .silence_s = request.silence_s,
      .secrets = secrets};
  take(task, files, evidence, std::move(ran), world.machine, result);
  if (is_command) {
    result.logs.push_back({LogStream::kEvent, "", "command: " + command_text(command)});
  }
  tell_left_processes(setup, result);
  add_fail_lines(task.study, fail_lines, result);
  close_logs(logs, result, result_files.keep(secrets));
  mask_secrets(result, secrets);
  return result;
}

TrialRecord abandoned_record(const Study& study,
                             const Cell& cell,
                             const fs::path& results,
                             TrialRow trial,
                             bool names_plan) {
  const TrialFiles files(results, study.name, cell.hash, trial, names_plan);
  const std::string name = files.folder.filename().string();
  const std::vector<std::string> secrets = secret_values(study);
  const std::vector<std::string> shown = shown_secrets(results, study.name, name, secrets);
  OpenLogs logs(results, study, name);
  TrialRecord record;
  trial.state = TrialState::kFailed;
  trial.reason = fmt::format(
      "scalestudy itself ended {} times during this trial and stored no end (it was killed, "
      "crashed, or could not write the results folder)",
      trial.deaths);
  if (!shown.empty()) {
    trial.reason += fmt::format("; its output is removed, because {} had another value in it",
                                join(shown, " and "));
  }
  record.trial = std::move(trial);
  record.logs = log_rows(files, {}, {}, /*keep_text=*/shown.empty());
  close_logs(logs, record);
  mask_secrets(record, secrets);
  return record;
}

}  // namespace scalestudy
