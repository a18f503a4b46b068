// Black box: every exit code of the table on docs/reference/cli.md, from the program itself.
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using Catch::StartsWith;
using scalestudy::test::lines_of;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::skip_on_one_core;
using scalestudy::test::study_text;
using scalestudy::test::wait_for;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

TEST_CASE("a run whose trials all end ok exits 0", "[cli]") {
  skip_on_one_core();
  const Workspace workspace;
  const ProgramResult result = workspace.run({"run", workspace.study()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("2 devices against 1 device: "));  // the answer alone
  CHECK_THAT(result.out, !Contains("20 ok"));
  CHECK_THAT(result.err, Contains("demo: 20 ok"));
}

TEST_CASE("a run goes on to its end where nobody can be told of it", "[cli]") {
  const Workspace workspace;
  const std::string command = " " SCALESTUDY_TEST_BIN "/scalestudy --results " +
                              workspace.results() + " run " + workspace.study();
  const std::string code = workspace.file("code");
  const std::vector<std::string> shells = {
      command + " 2> /dev/full; echo $? > " + code,
      command + " > /dev/full; echo $? > " + code,
      command + " 2>&-; echo $? > " + code,
      command + " 0<&- 1>&- 2>&-; echo $? > " + code,
      "{" + command + "; echo $? > " + code + "; } 2>&1 | true"};
  for (const std::string& shell : shells) {
    INFO(shell);
    std::filesystem::remove_all(workspace.results());
    std::filesystem::remove(code);

    scalestudy::test::run_program({"sh", "-c", shell});

    CHECK(read_file(code) == "0\n");
    CHECK(workspace.run({"query", "SELECT state, count(*) FROM trial", "--format", "csv"}).out ==
          "state,count(*)\nok,20\n");
    CHECK_THAT(read_file(workspace.results() + "/lock"), Catch::StartsWith("pid "));
  }
}

TEST_CASE("a closed terminal ends the session and a later run goes on", "[cli]") {
  const Workspace workspace(study_text("slow"));
  const pid_t pid = start_run(workspace);

  kill(pid, SIGHUP);

  CHECK(wait_for(pid) == 130);
  CHECK(workspace.run({"query", "SELECT ending FROM session", "--format", "csv"}).out ==
        "ending\ninterrupted\n");
}

TEST_CASE("files that may not grow end a run with what to do", "[cli]") {
  const Workspace workspace;

  const ProgramResult result = scalestudy::test::run_program(
      {"bash",
       "-c",
       "ulimit -f 20; exec " SCALESTUDY_TEST_BIN "/scalestudy --results " + workspace.results() +
           " run " + workspace.study()});

  INFO(result.err);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("/results.db: ") && Contains("make room"));
}

TEST_CASE("output that cannot be written exits 2", "[cli]") {
  const ProgramResult result = scalestudy::test::run_program(
      {"sh", "-c", SCALESTUDY_TEST_BIN "/scalestudy schema > /dev/full"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("standard output cannot be written: No space left on device"));
}

TEST_CASE("a wrong command line exits 2 and names the help to read", "[cli]") {
  const Workspace workspace;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"rum"}, {"run"}, {"run", "--no-such-flag", "x"}}) {
    const ProgramResult result = workspace.run(arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("--help"));
  }
}

TEST_CASE("a number of blocks or trials is a whole one that can be", "[cli]") {
  const Workspace workspace;
  const auto submit = [&](const std::string& blocks) {
    return workspace.run({"submit", workspace.study(), "--dry-run", "--blocks-per-job", blocks});
  };

  for (const std::string blocks : {"0", "-3", "1.5", "9000000000000000000", ""}) {
    const ProgramResult result = submit(blocks);
    CAPTURE(blocks);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               Contains("'" + blocks + "' is not a whole number from 1 to 1000000000\n"));
  }
  const auto time_of = [](const std::string& script) {
    const std::size_t at = script.find("--time=");
    REQUIRE(at != std::string::npos);
    return script.substr(at, script.find('\n', at) - at);
  };
  CHECK(time_of(submit("1000000000").out) == time_of(submit("10").out));  // which it has
}

TEST_CASE("a misspelt verb or option exits 2 and says what may be meant", "[cli]") {
  const Workspace workspace;
  const auto meant = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = workspace.run(arguments);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(meant({"reprot", "demo"}), Contains("reprot (did you mean \"report\"?)"));
  CHECK_THAT(meant({"valdate", "--set", "a=b"}), Contains("did you mean \"validate\"?"));
  CHECK_THAT(meant({"run", "s.yaml", "--retry-faild"}),
             Contains("--retry-faild (did you mean \"--retry-failed\"?)") &&
                 Contains("scalestudy run --help"));
  CHECK_THAT(meant({"status", "--fromat=json"}), Contains("did you mean \"--format\"?"));
  CHECK_THAT(meant({"--quite", "status"}), Contains("did you mean \"--quiet\"?"));
  for (const std::string format : {"xml", "2", ""}) {
    CHECK_THAT(meant({"query", "x", "--format", format}),
               Contains("'" + format +
                        "' is not one of table, json, csv, markdown, latex, openmetrics\n"));
  }
  CHECK_THAT(meant({"xyzzyx"}), Contains("xyzzyx") && !Contains("did you mean"));
}

TEST_CASE("arguments that no verb takes are told in their order, and flags with their words",
          "[cli]") {
  const Workspace workspace;
  CHECK_THAT(workspace.run({"list", "w", "z", ""}).err,
             StartsWith("scalestudy: these arguments are not expected: w z ''\n"));
  CHECK_THAT(workspace.run({"report", "demo"}, {"SCALESTUDY_FORCE=maybe"}).err,
             StartsWith("scalestudy: SCALESTUDY_FORCE: 'maybe' is neither true nor false\n"));
  for (const auto& [verb, told] : {std::pair{"show", "argument what is empty\n"},
                                   std::pair{"merge", "argument source is empty\n"},
                                   std::pair{"publish", "argument folder is empty\n"},
                                   std::pair{"init", "argument file is empty\n"}}) {
    CHECK_THAT(workspace.run({verb, ""}).err, StartsWith(std::string("scalestudy: ") + told));
  }
  CHECK_THAT(workspace.run({"compare", "x", ""}).err,
             StartsWith("scalestudy: argument b is empty\nread `scalestudy compare --help`"));
}

TEST_CASE("an error names the variable that has set an option", "[cli]") {
  const Workspace workspace;
  const auto refusal = [&](const std::vector<std::string>& words, const std::string& variable) {
    std::vector<std::string> arguments{"run", workspace.study()};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const ProgramResult result = workspace.run(arguments, {variable});
    CHECK(result.exit_code == 2);
    return result.err;
  };
  const std::string told = ": give a block, or FIRST-LAST, of the study's 1 to 5\n";
  CHECK(refusal({}, "SCALESTUDY_BLOCKS=x") == "scalestudy: SCALESTUDY_BLOCKS=x" + told);
  CHECK(refusal({"--blocks", "6"}, "SCALESTUDY_BLOCKS=x") == "scalestudy: --blocks 6" + told);
  CHECK_THAT(refusal({"--check"}, "SCALESTUDY_SET=trials.count=x"),
             StartsWith("scalestudy: " + workspace.study() + ": SCALESTUDY_SET=trials.count=x: "));
}

TEST_CASE("a path that cannot be exits 2 and is named", "[cli]") {
  const Workspace workspace;
  const std::string name(300, 'a');
  const ProgramResult result = workspace.run({"init", name});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains(name) && Contains("too long") && !Contains("internal error"));
}

TEST_CASE("an invalid study exits 2 before anything is made", "[cli]") {
  const Workspace workspace("version: 1\nstudy: demo\nworkload: train\naxes: {devces: [1]}\n");
  const ProgramResult result = workspace.run({"run", workspace.study()});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("demo.yaml:4:") && Contains("did you mean"));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
}

TEST_CASE("a run with failed trials exits 3 and says how they failed", "[cli]") {
  const Workspace workspace(study_text("fail"));
  const ProgramResult result = workspace.run({"run", workspace.study()});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Contains("16 planned, 4 failed") && Contains("frobnicator"));
  CHECK(workspace.run({"history", "demo", "--gate"}).exit_code == 5);
}

TEST_CASE("a missed target exits 4 only when gating", "[cli]") {
  const Workspace workspace(study_text(
      "-", "  targets: [{name: fast, metric: step_time_s, where: {devices: 1}, at_most: 1ms}]\n"));
  CHECK(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK(workspace.run({"run", workspace.study(), "--gate"}).exit_code == 4);
  CHECK(workspace.run({"report", "demo", "--gate"}).exit_code == 4);
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);
  CHECK(workspace.run({"report", "demo", "--check", "--gate"}).exit_code == 4);
}

TEST_CASE("a gate names each missed target once, however many the answer has", "[cli]") {
  std::string targets;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    targets += std::string(targets.empty() ? "" : ", ") + "{name: slow " + name +
               ", metric: step_time_s, where: {devices: 1, batch_global: 100}, at_most: 1s}";
  }
  const Workspace workspace(
      study_text("-",
                 "  targets: [" + targets +
                     ", {name: fast, metric: step_time_s, where: {devices: 1}, at_most: 1ms}]\n"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"--quiet", "run", workspace.study(), "--gate"},
        {"--quiet", "report", "demo", "--gate"}}) {
    CAPTURE(call[1]);
    const ProgramResult gated = workspace.run(call);
    CHECK(gated.exit_code == 4);
    CHECK(lines_of(gated.err).size() == 1);
    CHECK_THAT(gated.err,
               StartsWith("--gate: fast: missed: step time, wanted at most 1 ms; 2 of 2 cells miss "
                          "it, for example 1 device, batch "));
  }
}

TEST_CASE("a met target exits 0 when gating", "[cli]") {
  const Workspace workspace(study_text(
      "-", "  targets: [{name: fast, metric: step_time_s, where: {devices: 1}, at_most: 1s}]\n"));
  CHECK(workspace.run({"run", workspace.study(), "--gate"}).exit_code == 0);
}

TEST_CASE("a limit on recommendations is nothing that a gate judges", "[cli]") {
  const Workspace workspace(study_text(
      "-",
      "  targets: [{name: fast, metric: step_time_s, where: {devices: 1}, at_most: 1s}]\n"
      "  within: {throughput: 1000000000}\n"));
  const ProgramResult run = workspace.run({"run", workspace.study(), "--gate"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out,
             Contains("Left out: every setting; throughput not at least 1,000,000,000 samples/s"));
}

TEST_CASE("a gate without anything to judge is refused before trials run", "[cli]") {
  const Workspace workspace(study_text("-"));
  const ProgramResult run = workspace.run({"run", workspace.study(), "--gate"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Contains("declares neither targets nor sides") && !Contains("/20] "));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK_THAT(refusal_of(workspace, {"report", "demo", "--gate"}),
             Contains("declares neither targets nor sides"));
}

TEST_CASE("an undecided target exits 5 when gating", "[cli]") {
  const Workspace workspace(study_text("scatter",
                                       "  targets: [{name: close call, metric: speedup, where: "
                                       "{devices: 2, batch_global: 1000}, at_least: 1.96}]\n"));
  const ProgramResult gated = workspace.run({"run", workspace.study(), "--gate"});
  CHECK(gated.exit_code == 5);
  CHECK_THAT(gated.err, Contains("\n--gate: close call: undecided for 2 devices, batch 1000: "));
}

TEST_CASE("a second run of the same results folder exits 75 and names the holder", "[cli]") {
  const Workspace workspace(study_text("slow"));
  const pid_t pid = start_run(workspace);
  const ProgramResult second = workspace.run({"run", workspace.study()});
  // What no waiting would mend is told at once.
  CHECK_THAT(refusal_of(workspace, {"run", workspace.study(), "--blocks", "9"}),
             Contains("--blocks 9: give a block"));
  CHECK_THAT(refusal_of(workspace, {"run", workspace.study(), "--machine", "nope.yaml"}),
             Contains("nope.yaml cannot be read; "));
  kill(pid, SIGTERM);
  wait_for(pid);
  CHECK(second.exit_code == 75);
  CHECK_THAT(second.err, Contains(std::to_string(pid)));
}

TEST_CASE("a run whose results folder is taken away exits 2 and says so", "[cli]") {
  const Workspace workspace(study_text("short"));
  const pid_t pid = start_run(workspace);
  std::filesystem::rename(workspace.results(), workspace.file("elsewhere"));
  CHECK(wait_for(pid) == 2);
  CHECK_THAT(read_file(workspace.file("err")), Contains("removed or moved"));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
}

TEST_CASE("a signal that is sent again ends a run that does not come to its end", "[cli]") {
  std::string text = study_text();
  const std::size_t begin = text.find("command:");
  text.replace(
      begin,
      text.find('\n', begin) - begin,
      "command: [sh, -c, 'trap \"\" TERM; sleep 30; sleep 30', \"{devices}\", \"{batch_global}\"]");
  const Workspace workspace(text);
  const pid_t pid = start_run(workspace);
  const auto lives = [pid] { return waitpid(pid, nullptr, WNOHANG) == 0; };

  kill(pid, SIGTERM);
  for (int tries = 0; tries < 3000 &&
                      read_file(workspace.file("err")).find("A second signal") == std::string::npos;
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // two that wait count as one
  }
  kill(pid, SIGTERM);  // as `timeout` sends it
  std::this_thread::sleep_for(std::chrono::milliseconds(2300));
  REQUIRE(lives());
  kill(pid, SIGTERM);

  CHECK(wait_for(pid) == 130);
  // A run that comes to its end says how.
  CHECK(workspace.run({"query", "SELECT ending = '' FROM session", "--format", "csv"}).out ==
        "ending = ''\n1\n");
  CHECK_THAT(read_file(workspace.file("err")),
             Contains("A second signal ends the program at once"));
}

TEST_CASE("an interrupted run exits 130 and the next one goes on", "[cli]") {
  const Workspace workspace(study_text("slow"));
  const pid_t pid = start_run(workspace);
  kill(pid, SIGINT);
  CHECK(wait_for(pid) == 130);
  CHECK_THAT(read_file(workspace.file("err")),
             Contains("stopping; ") && Contains("continues from here"));

  // The same study but with a trainer that ends: a changed study, accepted.
  write_file(workspace.study(), study_text());
  const ProgramResult refused = workspace.run({"run", workspace.study()});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("command") && Contains("--accept-changes"));
  const ProgramResult resumed = workspace.run({"run", workspace.study(), "--accept-changes"});
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.err, Contains("20 ok"));
}

TEST_CASE("a trial that removes its row of the store ends the run with what happened", "[cli]") {
  const Workspace workspace;
  const std::string sql = "sqlite3 " + workspace.results() + "/results.db 'DELETE FROM trial'";
  if (std::system("command -v sqlite3 >/dev/null") != 0) {  // NOLINT(concurrency-mt-unsafe)
    WARN("sqlite3 is missing: no trial wrote the store");
    return;
  }
  std::string text = study_text();
  const std::size_t begin = text.find("command:");
  text.replace(begin,
               text.find('\n', begin) - begin,
               "command: [sh, -c, \"" + sql + "\", \"{devices}\", \"{batch_global}\"]");
  write_file(workspace.study(), text);

  const ProgramResult ran = workspace.run({"run", workspace.study()});

  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("cannot be finished: another program, maybe a trial of the study"));
}

TEST_CASE("memory that runs out is no defect, and exits 2", "[cli]") {
  scalestudy::test::skip_with_shadow_memory();
  const Workspace workspace;
  std::filesystem::resize_file(workspace.study(), std::uintmax_t{60} << 20U);
  const auto limited = [&](int mib, const std::string& verb) {
    return scalestudy::test::run_program({"sh",
                                          "-c",
                                          "ulimit -v " + std::to_string(mib * 1024) +
                                              "; exec " SCALESTUDY_TEST_BIN "/scalestudy " + verb});
  };
  int mib = 50;
  while (limited(mib, "--version").exit_code != 0 && mib < 1000) {
    mib += 10;
  }

  const ProgramResult ran = limited(mib + 20, "validate " + workspace.study());

  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("scalestudy: out of memory; "));
}

TEST_CASE("an input that cannot be read is no empty one", "[cli]") {
  for (const std::string verb : {"validate -", "plan -"}) {
    const ProgramResult ran = scalestudy::test::run_program(
        {"sh", "-c", "exec " SCALESTUDY_TEST_BIN "/scalestudy " + verb + " </"});
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains("standard input: cannot be read to its end"));
  }
}

TEST_CASE("control characters of an argument are not sent to the terminal", "[cli]") {
  const Workspace workspace;
  for (const std::string verb : {"show", "validate", "report", "\x1b[2Jverb"}) {
    const ProgramResult ran = workspace.run({verb, "\x1b]0;title\x07 \x1b[2J \x1b[31m"});
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find_first_of("\x1b\x07") == std::string::npos);
  }
}

TEST_CASE("control characters of a store are shown to a file and not to a terminal", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string table = SCALESTUDY_TEST_BIN "/scalestudy --results " + workspace.results() +
                            " query \"SELECT 'a' || char(27) || '[31mb' AS x\"";
  const std::string query = table + " --format csv";

  CHECK_THAT(scalestudy::test::run_program({"sh", "-c", query}).out, Contains("a\x1b[31mb"));
  CHECK_THAT(scalestudy::test::run_program({"sh", "-c", table}).out, Contains("a?[31mb"));
  if (scalestudy::test::run_program({"script", "--version"}).exit_code != 0) {
    WARN("script is missing: there was no terminal");
    return;
  }
  const ProgramResult shown =
      scalestudy::test::run_program({"script", "-qec", query, "/dev/null"}, {"TERM=xterm"});
  CHECK_THAT(shown.out, Contains("a?[31mb"));
}

TEST_CASE("a results folder of an impossible name exits 2, told or not", "[cli]") {
  const std::string list =
      SCALESTUDY_TEST_BIN "/scalestudy --results " + std::string(300, 'a') + " list";

  CHECK_THAT(scalestudy::test::run_program({"sh", "-c", list}).err, Contains("File name too long"));
  CHECK(scalestudy::test::run_program({"sh", "-c", list + " 2> /dev/full"}).exit_code == 2);
}
