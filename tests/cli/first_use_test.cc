// Black box: what a first user's mistakes cost. A wrong command, a rule that finds nothing, too
// little memory.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

#include "harness/base/build_info.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"
#include "tests/support/skip.h"

using Catch::Contains;
using scalestudy::test::numbers_in;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::report_of;
using scalestudy::test::skip_on_one_core;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

const std::string kWhole = "the whole study: 10 trials, about ";
const std::string kThreeSteps = "for i in 1 2 3; do echo t=0.1$i; done";

// A study "demo" of the sizes 1 and 2 whose trials run `script` with their size as $0 and print
// t=SECONDS for 1 + 2 steps.
std::string study_of_sizes(const std::string& script,
                           const std::string& count = "4",
                           const std::string& rules = "") {
  return "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, '" + script +
         "', \"{size}\"]\naxes: {size: [1, 2]}\nsteps: {warmup: 1, measured: 2}\n"
         "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: " +
         count +
         "}\nlimits: {timeout: 20s, silence: 20s, retries: 1}\nanalysis: {baseline: {size: 1}}\n"
         "extract:\n  - {metric: step_time_s, unit: s, regex: \"t=(.*)\"}\n" +
         rules;
}

// "failed,3 ok,4 ": attempts by state.
std::string attempts(const Workspace& workspace) {
  std::string rows = query_csv(workspace, "SELECT state, count(*) FROM trial GROUP BY state");
  rows.erase(0, rows.find('\n') + 1);
  std::replace(rows.begin(), rows.end(), '\n', ' ');
  return rows;
}

}  // namespace

TEST_CASE("wrong usage and programs that are not there are not tried again", "[cli]") {
  for (const char* script : {"echo usage >&2; exit 2", "exit 126", "no-such-program"}) {
    INFO(script);
    const Workspace workspace(study_of_sizes(script, "1"));

    CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);

    CHECK(attempts(workspace) == "failed,2 ");
  }
}

TEST_CASE("all programs that are not there are told at once", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: ['{size}']\n"
      "axes: {size: [./one, ./two]}\nsetup: [no-setup]\ncleanup: [no-cleanup]\n"
      "extract: [{metric: step_time_s, from: wall_time}]\n");

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 2);
  for (const char* program :
       {"command: ./one", "command: ./two", "setup: no-setup", "cleanup: no-cleanup"}) {
    CHECK_THAT(run.err, Contains(std::string(program) + " is not found or not executable"));
  }
  CHECK_THAT(run.err, Contains(". Give a program in PATH, or a path to one\n"));
}

TEST_CASE("a cell that fails alike again and again is given up, and the others are not", "[cli]") {
  const Workspace workspace;
  const std::string mended = workspace.file("mended");
  write_file(workspace.study(),
             study_of_sizes("[ $0 = 1 ] || [ -e " + mended +
                                " ] || { echo no room at $$ >&2; exit 1; }; " + kThreeSteps,
                            "5"));

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 3);
  CHECK(attempts(workspace) == "failed,3 ok,5 skipped,3 ");
  CHECK_THAT(run.err,
             Contains("given up: size=2: 3 attempts in a row ended failed: exit code 1: no room") &&
                 !Contains(" logs/demo/") && Contains("--retry-failed"));
  CHECK_THAT(report_of(workspace),
             Contains("skipped | 3 attempts in a row ended failed:") &&
                 Contains("(partly done, 5 of 10 trials ok, 0 to 5 per cell, 3 given up"));
  CHECK_THAT(workspace.run({"status"}).out,
             Contains("demo: partly done: 7 trials done, 3 left (given up because cells kept "
                      "failing); `"));
  CHECK_THAT(workspace.run({"list", "--format", "csv"}).out, Contains("\ndemo,partly done,5,2,3,"));
  CHECK_THAT(workspace.run({"plan", workspace.study()}).err,
             Contains("demo: 3 of 10 trials are left, "));

  write_file(mended, "");
  const std::string told = "running what an earlier run skipped because cells kept failing: ";
  CHECK_THAT(workspace.run({"run", workspace.study()}).err,
             Contains(told + "3 trials. --retry-failed also runs the failed trials again\n"));
  CHECK(attempts(workspace) == "failed,3 ok,8 ");
  const ProgramResult retried = workspace.run({"run", workspace.study(), "--retry-failed"});
  CHECK(retried.exit_code == 0);
  CHECK_THAT(run.err + retried.err, !Contains(told));
  CHECK(query_csv(workspace, "SELECT state, count FROM accounting") == "state,count\nok,10\n");
}

TEST_CASE("a run whose cells all fail alike stops and leaves the rest planned", "[cli]") {
  const Workspace workspace(study_of_sizes("echo cannot open data.bin >&2; exit 1", "12"));

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 3);
  CHECK(attempts(workspace) == "failed,3 planned,22 ");
  CHECK_THAT(run.err,
             Contains("stopped: all 3 attempts ended failed: exit code 1: cannot open data.bin") &&
                 Contains("next: fix the cause, then `scalestudy --results "));
  CHECK_THAT(workspace.run({"status"}).out,
             Contains("demo: stopped (all attempts failed alike): "));
  CHECK(query_csv(workspace, "SELECT ending FROM session") == "ending\nfailures\n");
}

TEST_CASE("attempts of an earlier command do not count against the new one", "[cli]") {
  const Workspace workspace(study_of_sizes("exit 3", "10"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);
  REQUIRE_THAT(attempts(workspace), Contains("failed"));
  // The new command fails once in each trial: it has its own further attempt.
  const std::string tried = workspace.file("tried");
  write_file(workspace.study(),
             study_of_sizes("mark=" + tried +
                                "$SCALESTUDY_CELL; if [ $0 = 2 ] && [ ! -e $mark ]; then "
                                "touch $mark; exit 1; fi; " +
                                kThreeSteps,
                            "10"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 2);

  const ProgramResult run = workspace.run({"run", workspace.study(), "--accept-changes"});

  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(query_csv(workspace, "SELECT state, count FROM accounting") == "state,count\nok,20\n");
  const std::string report = report_of(workspace);
  CHECK_THAT(report, !Contains("survivors only") && !Contains("mix both"));
  CHECK_THAT(report, Contains("command[2\\]: exit 3 -\\> mark="));
  CHECK_THAT(report, Contains("1 attempt (failed 1) in 1 cell"));  // the new command's own
}

TEST_CASE("more trials are no change of a study, and others are told by session", "[cli]") {
  const Workspace workspace(study_of_sizes(kThreeSteps, "3"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult more = workspace.run(
      {"run", workspace.study(), "--set", "trials.count=5", "--set", "limits.max_time=1h"});

  INFO(more.err);
  CHECK(more.exit_code == 0);
  CHECK(attempts(workspace) == "ok,10 ");
  CHECK_THAT(report_of(workspace), !Contains("mix both"));
  write_file(workspace.study(), study_of_sizes("true; " + kThreeSteps, "6"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 2);
  REQUIRE(workspace.run({"run", workspace.study(), "--accept-changes"}).exit_code == 0);
  CHECK_THAT(report_of(workspace),
             Contains("2 of 2 cells contain trials from before and after a change of what a trial "
                      "does (run --accept-changes), and their means mix both. What changed "
                      "since sessions 1-2: command[2\\]: for i in 1 2 3; do echo") &&
                 !Contains("session 3: command") && Contains("trials.count: 3 -\\> 5"));
}

TEST_CASE("a program that runs out of memory in its own words ends as oom, once", "[cli]") {
  for (const char* words :
       {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't "
        "allocate memory: you tried to allocate 8 bytes.",
        "terminate called after throwing an instance of 'std::bad_alloc'"}) {
    INFO(words);
    const Workspace workspace;
    write_file(workspace.file("words"), std::string("start\n") + words + "\nbye\n");
    const std::string end = words[1] == 'e' ? "kill -ABRT $$" : "exit 1";
    write_file(workspace.study(),
               study_of_sizes("cat " + workspace.file("words") + " >&2; " + end, "1"));

    CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);

    CHECK(attempts(workspace) == "oom,2 ");
    CHECK_THAT(query_csv(workspace, "SELECT DISTINCT reason FROM trial"),
               Contains(std::string("out of memory: ") + words));
  }
}

// As DDP scripts do by default: each device has 32 samples of its own, so that a step on two takes
// a little longer and does twice the work.
TEST_CASE("the first study of a script on several devices asks for its batch", "[cli]") {
  skip_on_one_core();
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const std::string script = workspace.file("train.sh");
  const std::string runs = workspace.file("runs");
  write_file(script,
             "echo >> " + runs + "; n=$(wc -l < " + runs +
                 ")\n"
                 "for i in 0 1 2 3 4 5 6 7; do echo \"step $i: loss 2.5, $((500 + 5 * $1 + n % 3)) "
                 "ms\"; done\n");
  const ProgramResult init = workspace.run({"init", path, "--", "sh", script, "{devices}"});
  INFO(init.err);
  REQUIRE(init.exit_code == 0);
  CHECK_THAT(init.err, Contains("Nothing says how much work a step of several devices does"));

  const std::vector<std::string> run = {
      "run", path, "--set", "validity={calibration: none, foreign_load: 100%}"};
  const ProgramResult unknown = workspace.run(run);
  INFO(unknown.out);
  CHECK_THAT(unknown.err, Contains("Add parameters: {batch_per_device: N}"));
  CHECK_THAT(unknown.out,
             Contains("Add parameters: {batch_per_device: N}") && !Contains("slower") &&
                 !Contains("Use (fastest)") && !Contains("Trust: high"));
  workspace.run({"report", "mine", "--output", workspace.file("page")});
  CHECK_THAT(scalestudy::test::read_pages(workspace.file("page/report.md")),
             Contains("how much work a step does on several devices is not declared") &&
                 Contains("# where the command was run, with this report's folder for FOLDER: runs "
                          "the study again") &&
                 Contains("\nscalestudy reproduce FOLDER --results again\n") &&
                 !Contains("same work"));

  std::string text = scalestudy::test::read_file(path);
  const std::size_t line = text.find("# parameters: {batch_per_device: 32}");
  REQUIRE(line != std::string::npos);
  text.erase(line, 2);
  write_file(path, text);
  std::vector<std::string> again = run;
  again.emplace_back("--accept-changes");
  const ProgramResult known = workspace.run(again);
  INFO(known.out);
  CHECK_THAT(known.err, !Contains("Nothing says how much work"));
  CHECK_THAT(known.out,
             Contains("2 devices against 1 device: faster, 1.9") &&
                 !Contains("Nothing says how much work"));
}

TEST_CASE("a rule that finds nothing beside the step times fails no trial and is told", "[cli]") {
  const Workspace workspace(
      study_of_sizes(kThreeSteps + "; [ $0 = 1 ] || echo loss=0.5",
                     "3",
                     "  - {metric: loss, unit: \"1\", regex: \"loss=(.*)\"}\n"
                     "  - {metric: accuracy, unit: \"1\", regex: \"accuracy=(.*)\"}\n"));

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK(attempts(workspace) == "ok,6 ");
  const std::string told =
      "loss is missing in 3 of 6 ok trials (first: size 1): its extract rule "
      "found nothing there. Its results are of the others.";
  CHECK_THAT(run.err, Contains(told) && Contains("accuracy is missing in 6 of 6 ok trials"));
  CHECK_THAT(report_of(workspace), Contains("It has no results."));
  CHECK_THAT(query_csv(workspace, "SELECT DISTINCT text FROM log WHERE stream = 'event'"),
             Contains("extract: the rule for loss found nothing in stdout"));
}

TEST_CASE("no trial with a time that is none ends ok", "[cli]") {
  for (const char* time : {"-0.1", "0", "nan", "-inf"}) {
    INFO(time);
    const Workspace workspace(
        study_of_sizes("echo t=0.1; echo t=0.1; echo t=" + std::string(time), "1"));
    CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);
    CHECK(attempts(workspace) == "invalid,2 ");
  }
  for (const char* series :
       {"\"metric\":\"step_time_s\",\"rank\":0,\"values\":[0.1,-0.1,0.1],\"warmup\":1",
        "\"metric\":\"window_time_s\",\"values\":[-1],\"warmup\":0"}) {
    INFO(series);
    const std::string sample = "{\"v\":1,\"event\":\"samples\",\"unit\":\"s\",";
    const Workspace workspace(
        study_of_sizes("(echo ''" + sample + series + "}''; echo ''" + sample +
                           "\"metric\":\"step_time_s\",\"values\":[0.1,0.1,0.1],"
                           "\"warmup\":1}''; echo ''{\"v\":1,\"event\":\"end\","
                           "\"ok\":true}'') > $SCALESTUDY_OUTPUT",
                       "1"));
    CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);
    CHECK_THAT(attempts(workspace), !Contains("ok"));
  }
}

TEST_CASE("a check tries each cell once, tells what it gave and is in no result", "[cli]") {
  const Workspace workspace(
      study_of_sizes("sleep 0.3; " + kThreeSteps + "; echo loss=0.5",
                     "5",
                     "  - {metric: loss, unit: \"1\", regex: \"loss=(.*)\"}\n"
                     "  - {metric: accuracy, unit: \"1\", regex: \"accuracy=(.*)\"}\n"));

  const auto start = std::chrono::steady_clock::now();
  const ProgramResult check = workspace.run({"run", workspace.study(), "--check"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  INFO(check.out);
  INFO(check.err);
  CHECK(check.exit_code == 0);
  CHECK_THAT(check.out,
             Contains("size=1") && Contains("size=2") && Contains("step_time_s 1 + 2") &&
                 Contains("loss 1") && Contains("  125 ms  "));
  CHECK_THAT(
      check.err,
      Contains("extract: the rule for accuracy found nothing in stdout or stderr (2 trials)") &&
          Contains("checked 2 of 2 cells") && Contains(kWhole) && Contains(" s\n"));
  // Ten trials that sleep, and at most as long for each as the check took for one of its two.
  const double whole_s = numbers_in(check.err.substr(check.err.find(kWhole) + kWhole.size())).at(0);
  CHECK(whole_s > 3.0);
  CHECK(whole_s < 10.0 / 2.0 * took.count());
  const ProgramResult one = workspace.run(
      {"run", workspace.study(), "--check", "--set", "axes.size=[1]", "--set", "trials=1"});
  CHECK_THAT(one.err,
             Contains("checked 1 of 1 cell, with") && Contains("the whole study: 1 trial, about"));
  CHECK(workspace.run({"status"}).exit_code == 2);  // nothing was measured
  REQUIRE(workspace.run({"run", workspace.study(), "--check"}).exit_code == 0);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK(attempts(workspace) == "ok,10 ");
  REQUIRE(workspace.run({"run", workspace.study(), "--check"}).exit_code == 0);
  CHECK(attempts(workspace) == "ok,10 ");
  const ProgramResult gate = workspace.run({"run", workspace.study(), "--check", "--gate"});
  CHECK(gate.exit_code == 2);
  CHECK_THAT(gate.err, Contains("they take --set, --machine, --against and --no-wait alone\n"));
}

TEST_CASE("a check of many cells tries each value, and stops where all fail alike", "[cli]") {
  const auto many = [](const std::string& script) {
    std::string text = study_of_sizes(script, "9");
    text.replace(
        text.find("size: [1, 2]"), 12, "size: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], kind: [a, b]");
    text.replace(text.find("\"{size}\"]"), 9, "\"{size}\", \"{kind}\"]");
    text.replace(text.find("baseline: {size: 1}"), 19, "margin: 2%");
    return text;
  };
  const Workspace works(many(kThreeSteps));
  const ProgramResult tried = works.run({"run", works.study(), "--check"});
  INFO(tried.err);
  CHECK(tried.exit_code == 0);
  CHECK_THAT(tried.err, Contains("checked 12 of 22 cells") && Contains("198 trials"));

  const Workspace fails(many("echo wrong >&2; exit 1"));
  const ProgramResult stopped = fails.run({"run", fails.study(), "--check"});
  CHECK(stopped.exit_code == 3);
  CHECK_THAT(stopped.err,
             Contains("stopped: all 5 attempts ended failed: exit code 1: wrong") &&
                 Contains("checked 5 of 22 cells"));
}

TEST_CASE("doctor names programs that were not built, and misses MPI where none was", "[cli]") {
  const Workspace workspace;
  const std::string folder = workspace.file("programs");
  std::filesystem::create_directory(folder);
  const auto doctor = [&] { return workspace.run({"doctor"}, {"SCALESTUDY_WORKLOADS=" + folder}); };
  const ProgramResult none = doctor();
  if (!scalestudy::build_info().has_workloads) {  // as that of the Python package
    CHECK(none.exit_code == 0);
    CHECK_THAT(none.out,
               Contains("this build has none: studies of `command` do not need it") &&
                   !Contains("mpirun  "));
    return;
  }
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.out,
             Contains("scalestudy-train is not here: install the Debian package, or ./dev build, "
                      "with MPI and"));

  write_file(folder + "/scalestudy-train", "");  // as ./dev demo leaves it
  const std::string out = doctor().out;
  CHECK_THAT(
      out,
      Contains("scalestudy-collective is not here: install the Debian package, or ./dev build\n"));
  CHECK(out.find("missing  workload") == std::string::npos);
}

TEST_CASE("a rule that found nothing shows the first lines of what was printed", "[cli]") {
  const Workspace workspace(
      study_of_sizes("echo loading >&2; echo; echo step 1 took 41 ms; echo step 2 took 40 ms; echo "
                     "step 3 took 42 ms; echo step 4 took 41 ms",
                     "1"));

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 3);
  CHECK_THAT(
      run.err,
      Contains("the rule for step_time_s found nothing in stdout or stderr") &&
          Contains("it printed:\n      step 1 took 41 ms\n      step 2 took 40 ms\n      step "
                   "3 took 42 ms\n    log: "));
  const Workspace crashed(study_of_sizes("echo step 1 took 41 ms; exit 1", "1"));
  CHECK_THAT(crashed.run({"run", crashed.study()}).err, !Contains("it printed:"));
}
