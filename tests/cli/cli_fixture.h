// What the black-box tests share: the program, a study over trainer.sh, a results folder.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/program.h"

namespace scalestudy::test {

// The text of a study named "demo" over tests/cli/trainer.sh: 1 and 2 devices, two global batches,
// 5 blocks of 2 + 10 steps. `what` is trainer.sh's third argument; `analysis` adds lines to
// analysis.
inline std::string study_text(const std::string& what = "-", const std::string& analysis = "") {
  return "version: 1\n"
         "study: demo\n"
         "title: Does a second device pay?\n"
         "workload: command\n"
         "command: [" SCALESTUDY_SOURCE_DIR
         "/tests/cli/trainer.sh, \"{devices}\", \"{batch_global}\", \"" +
         what +
         "\"]\n"
         "axes:\n"
         "  devices: [1, 2]\n"
         "  batch_global: [100, 1000]\n"
         "steps: {warmup: 2, measured: 10}\n"
         "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 5}\n"
         "limits: {timeout: 20s, silence: 20s, retries: 0}\n"
         "analysis:\n"
         "  baseline: {devices: 1}\n" +
         analysis;
}

// The text over `workers`, a parameter of its own in place of devices: of such a study something is
// claimed on one core, too.
inline std::string over_workers(std::string text) {
  const std::string devices = "devices";
  for (std::size_t at = text.find(devices); at != std::string::npos; at = text.find(devices, at)) {
    text.replace(at, devices.size(), "workers");
  }
  return text;
}

// One study file and one results folder, removed at the end.
class Workspace {
 public:
  explicit Workspace(const std::string& text = study_text()) { write_file(study(), text); }

  std::string study() const { return folder_.file("demo.yaml"); }
  std::string results() const { return folder_.file("results"); }
  std::string file(const std::string& name) const { return folder_.file(name); }

  // scalestudy --results <this> ARGUMENTS...
  ProgramResult run(std::vector<std::string> arguments,
                    const std::vector<std::string>& environment = {},
                    const std::string& input = {}) const {
    return run_program(argv(std::move(arguments)), environment, input);
  }

  std::vector<std::string> argv(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {SCALESTUDY_TEST_BIN "/scalestudy", "--results", results()});
    return arguments;
  }

 private:
  TemporaryFolder folder_;
};

// Imports theirs.csv, a published speed: `row` has devices, global batch and samples/s.
// - more: further arguments
inline ProgramResult import_theirs(const Workspace& workspace,
                                   const std::string& row,
                                   const std::vector<std::string>& more = {}) {
  write_file(workspace.file("theirs.csv"), "gpus,batch,speed\n" + row + "\n");
  std::vector<std::string> arguments{"import",
                                     workspace.file("theirs.csv"),
                                     "--map",
                                     "gpus=devices",
                                     "--map",
                                     "batch=batch_global",
                                     "--map",
                                     "speed=throughput:samples/s"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

// The program on another results folder of the workspace.
inline ProgramResult run_in(const Workspace& workspace,
                            const std::string& folder,
                            std::vector<std::string> arguments,
                            const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(),
                   {SCALESTUDY_TEST_BIN "/scalestudy", "--results", workspace.file(folder)});
  return run_program(arguments, environment);
}

// The lines of a text.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) {
    lines.push_back(line);
  }
  return lines;
}

// What the program says of a call that it refuses.
inline std::string refusal_of(const Workspace& workspace, std::vector<std::string> arguments) {
  const ProgramResult refused = workspace.run(std::move(arguments));
  CHECK(refused.exit_code == 2);
  return refused.err;
}

inline std::string query_csv(const Workspace& workspace, const std::string& sql) {
  return workspace.run({"query", sql, "--format", "csv"}).out;
}

// The only row that the query answers with, as CSV.
inline std::string query_row(const Workspace& workspace, const std::string& sql) {
  const std::string out = workspace.run({"query", "--format", "csv", sql}).out;
  return out.substr(out.find('\n') + 1);
}

// Sessions of a block each, the last of them with that number.
inline void run_sessions(const Workspace& workspace, int first, int last, int exit_code = 0) {
  for (int count = first; count <= last; ++count) {
    REQUIRE(workspace
                .run({"run",
                      workspace.study(),
                      "--accept-changes",
                      "--set",
                      "trials.count=" + std::to_string(count)})
                .exit_code == exit_code);
  }
}

// Starts `scalestudy run`, which prints into the files "out" and "err", and returns once a trial
// runs; the caller ends it.
inline pid_t start_run(const Workspace& workspace) {
  const pid_t pid = start_program(workspace.argv({"run", workspace.study()}),
                                  {},
                                  "/dev/null",
                                  workspace.file("out"),
                                  workspace.file("err"));
  bool has_begun = false;
  for (int tries = 0; tries < 1200 && !has_begun; ++tries) {
    usleep(50'000);
    has_begun = query_row(workspace, "SELECT count(*) FROM trial WHERE state = 'running'") == "1\n";
  }
  REQUIRE(has_begun);
  return pid;
}

// What the program prints, both streams together, on a terminal of so many columns; without colours
// and carriage returns.
inline std::string on_terminal(const Workspace& workspace,
                               const std::vector<std::string>& arguments,
                               int columns) {
  std::string command = "stty cols " + std::to_string(columns) + ";";
  for (const std::string& word : workspace.argv(arguments)) {
    command += " '" + word + "'";
  }
  std::string out =
      run_program({"script", "-qec", command, "/dev/null"}, {"TERM=xterm", "NO_COLOR=1"}).out;
  std::erase(out, '\r');
  return out;
}

// The report of the study "demo" with all its sections, as Markdown.
inline std::string report_of(const Workspace& workspace) {
  const ProgramResult report = workspace.run({"report", "demo", "--full"});
  INFO(report.err);
  REQUIRE(report.exit_code == 0);
  return read_file(workspace.results() + "/reports/demo/report.md");
}

}  // namespace scalestudy::test
