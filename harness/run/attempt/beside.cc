#include "harness/run/attempt/beside.h"

#include <fmt/format.h>

#include "harness/run/process/trial_files.h"

namespace scalestudy {

bool is_beside_note(const std::string& note) {
  return note.starts_with("cleanup: ") || note.starts_with("setup: ");
}

BesideResult run_beside(const std::string& name,
                        const std::vector<std::string>& argv,
                        LaunchRequest trial,
                        const std::vector<std::string>& secrets,
                        Launcher& launcher,
                        const std::atomic<bool>& stop) {
  if (argv.empty()) {
    return {};
  }
  trial.argv = argv;
  trial.environment.erase("SCALESTUDY_OUTPUT");
  trial.unset_environment.emplace_back("SCALESTUDY_OUTPUT");
  trial.stdout_path.replace_filename(name + ".stdout");
  trial.stderr_path.replace_filename(name + ".stderr");
  trial.output_path = trial.stdout_path;
  const TrialEvidence evidence{.launch = launcher.launch(trial, stop),
                               .record = {},
                               .steps = {},
                               .ranks = {},
                               .stderr_tail = read_tail(trial.stderr_path),
                               .timeout_s = trial.timeout_s,
                               .silence_s = trial.silence_s,
                               .secrets = secrets};
  BesideResult result;
  result.is_interrupted = evidence.launch.ending == LaunchEnding::kInterrupted;
  result.failure = judge_launch(evidence);
  result.exit_code = evidence.launch.exit_code;
  result.left_processes = evidence.launch.left_processes;
  if (result.failure) {
    result.failure->reason = name + ": " + result.failure->reason;
  }
  return result;
}

void tell_left_processes(const BesideResult& setup, TrialRecord& record) {
  if (setup.left_processes > 0) {
    record.telemetry.push_back(
        {"setup_left_processes", static_cast<double>(setup.left_processes), "1"});
    record.logs.push_back(
        {LogStream::kEvent,
         "",
         fmt::format("setup: {} process{} that it had left running {} ended before the trial",
                     setup.left_processes,
                     setup.left_processes == 1 ? "" : "es",
                     setup.left_processes == 1 ? "was" : "were")});
  }
}

void finish_beside(const LaunchCommand& command,
                   LaunchRequest trial,
                   const std::vector<std::string>& secrets,
                   Launcher& launcher,
                   const std::atomic<bool>& stop,
                   std::vector<LogRow>& logs) {
  constexpr double after_stop_s = 10.0;
  trial.after_stop_s = after_stop_s;
  const BesideResult cleanup =
      run_beside("cleanup", command.cleanup, trial, secrets, launcher, stop);
  if (cleanup.failure) {
    logs.push_back({LogStream::kEvent, "", cleanup.failure->reason});
  }
}

}  // namespace scalestudy
