#include "harness/run/attempt/read_output.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "harness/run/command/launch_command.h"
#include "harness/run/outcome/extract.h"
#include "harness/run/output/terminal_text.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

protocol::Record failed_record(const std::string& problem) {
  protocol::Record record;
  record.problems.push_back(problem);
  return record;
}

bool has_protocol_file(const TrialFiles& files) {
  std::error_code ignored;  // a folder that cannot be looked into holds no such file
  return fs::exists(files.protocol_path(), ignored);
}

}  // namespace

protocol::Record read_output(const AttemptTask& task,
                             const TrialFiles& files,
                             const ResultFiles& result_files,
                             const LaunchResult& launch,
                             StepLines& step_lines) {
  const Study& study = task.study;
  if (launch.ending == LaunchEnding::kTooLong) {
    return failed_record(launch.message);  // minutes of reading, for nothing
  }
  const bool has_protocol = has_protocol_file(files);
  if (!study.extract.empty() && !has_protocol) {
    std::ifstream out = open_log(files.stdout_path());
    std::ifstream err = open_log(files.stderr_path());
    if (!out.is_open() || !err.is_open()) {
      return failed_record((out.is_open() ? "stderr" : "stdout") +
                           std::string(" is not a regular file any more"));
    }
    const TrialOutput output{.out = out,
                             .err = err,
                             .wall_s = launch.wall_s,
                             .files = result_files.open(),
                             .step_lines = &step_lines};
    return extract_samples(output, study.extract, study.steps, trial_parameters(study, task.cell));
  }
  if (study.workload == Workload::kCommand && !has_protocol) {
    return failed_record(
        "the command wrote no file to $SCALESTUDY_OUTPUT, and the study has no extract rules to "
        "find step times in what it prints");
  }
  return protocol::read_record(files.protocol_path().string());
}

bool has_protocol_codes(const AttemptTask& task, const TrialFiles& files) {
  return task.study.extract.empty() || has_protocol_file(files);
}

std::string read_stderr_tail(const TrialFiles& files) {
  std::string text = read_tail(files.stderr_path());
  remove_escapes(text);
  return text;
}

FailLines read_fail_lines(const AttemptTask& task,
                          const TrialFiles& files,
                          const LaunchResult& launch) {
  if (task.study.workload != Workload::kCommand || launch.ending != LaunchEnding::kExited ||
      launch.exit_code != protocol::kExitOk) {
    return {};
  }
  std::ifstream out = open_log(files.stdout_path());
  std::ifstream err = open_log(files.stderr_path());
  return find_fail_lines(out, err, task.study.fail_if);
}

}  // namespace scalestudy
