// Black box: what people see of a run while it goes on, and on the morning after.
#include <csignal>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/cli/cli_fixture.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_row;
using scalestudy::test::read_file;
using scalestudy::test::start_program;
using scalestudy::test::study_text;
using scalestudy::test::TemporaryFolder;
using scalestudy::test::wait_for;
using scalestudy::test::wait_until;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// The demo study, whose trials are a script of `sh` now, and with one `change` more.
std::string scripted_study(const std::string& script, const std::string& change = "") {
  std::string text = study_text();
  const std::size_t begin = text.find("command: [");
  text.replace(begin,
               text.find('\n', begin) - begin,
               "command: [sh, -c, '" + script +
                   "; exec " SCALESTUDY_SOURCE_DIR
                   "/tests/cli/trainer.sh \"$@\"', sh, \"{devices}\", \"{batch_global}\"]");
  return text + change;
}

std::string line_with(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("attempts that fail quickly neither count as trials done nor shorten the ETA", "[cli]") {
  const Workspace workspace(
      scripted_study("test \"$SCALESTUDY_ATTEMPT\" != 1 || exit 7; sleep 0.3"));
  const ProgramResult result = workspace.run({"run",
                                              workspace.study(),
                                              "--set",
                                              "limits.retries=1",
                                              "--set",
                                              "trials.count=1",
                                              "--max-trials",
                                              "4"});
  INFO(result.err);
  CHECK_THAT(line_with(result.err, "[0/4] failed"), !Contains("ETA"));
  const std::string ended = line_with(result.err, "[1/4] ok");
  REQUIRE_THAT(ended, Contains("ETA "));
  const std::size_t eta = ended.find("ETA ") + 4;
  const double value = std::stod(ended.substr(eta));
  const double seconds = ended.find(" ms", eta) == std::string::npos ? value : value / 1e3;
  CHECK(seconds >= 0.9);  // three trials of 0.3 s and more
}

TEST_CASE("what would waste a night is told before it begins", "[cli]") {
  // More ranks than any machine has cores.
  const Workspace everywhere;
  const Workspace one_side;
  const std::string study = everywhere.study();
  for (const char* verb : {"validate", "plan", "run"}) {
    INFO(verb);
    const ProgramResult all = everywhere.run({verb,
                                              study,
                                              "--set",
                                              "axes.devices=[30000, 60000]",
                                              "--set",
                                              "axes.batch_global=[60000]",
                                              "--set",
                                              "analysis.baseline={devices: 30000}"});
    CHECK(all.exit_code == 0);
    CHECK_THAT(all.err, Contains("warning: ") && Contains("every cell has more ranks"));
    const ProgramResult side = one_side.run(
        {verb, study, "--set", "axes.devices=[1, 60000]", "--set", "axes.batch_global=[60000]"});
    CHECK(side.exit_code == 0);
    CHECK_THAT(side.err, Contains("one side of every comparison has more ranks"));
    CHECK_THAT(
        everywhere.run({verb, study, "--set", "axes.devices=[1]", "--set", "study=other"}).err,
        !Contains("more ranks"));
    const ProgramResult nobody =
        one_side.run({verb, study, "--set", "analysis.baseline={devices: 4}"});
    CHECK(nobody.exit_code == 2);
    CHECK_THAT(nobody.err, Contains("no cell has this baseline"));
  }
}

TEST_CASE("a misspelt axis of a command stops validate, plan and run", "[cli]") {
  const Workspace workspace;
  for (const char* verb : {"validate", "plan", "run"}) {
    const ProgramResult result =
        workspace.run({verb, workspace.study(), "--set", "axes.btach_global=[1, 2]"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               Contains("does not use btach_global") && Contains("did you mean \"batch_global\"?"));
  }
}

TEST_CASE("status of a run that was killed says that it is gone", "[cli]") {
  const Workspace workspace(study_text("slow"));
  const pid_t pid = start_run(workspace);
  const ProgramResult live = workspace.run({"status", "demo"});
  CHECK_THAT(live.out, Contains("demo: running since ") && Contains("0 trials done, 20 left"));
  CHECK_THAT(live.out, Contains("now: trial ") && Contains("block 1") && Contains("ETA unknown"));
  CHECK_THAT(workspace.run({"status", "--format", "csv"}).out, Contains("demo,running,1\n"));

  kill(pid, SIGKILL);
  wait_for(pid);

  const ProgramResult gone = workspace.run({"status"});
  CHECK_THAT(gone.out,
             Contains("interrupted: the run that began ") &&
                 Contains("`scalestudy --results " + workspace.results() + " run demo`") &&
                 Contains("it was at trial "));
  CHECK(workspace.run({"status", "--format", "csv"}).out ==
        "study,state,count\ndemo,planned,19\ndemo,interrupted,1\n");
}

TEST_CASE("status takes no time from trials of the command before a change", "[cli]") {
  const std::string text =
      "version: 1\nstudy: demo\nworkload: command\n"
      "extract: [{metric: step_time_s, from: wall_time}]\ntrials: 3\n";
  const Workspace workspace(text + "command: ['true']\n");
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "2"}).exit_code == 0);
  write_file(workspace.study(), text + "command: [sleep, '60']\n");
  const pid_t pid = start_program(workspace.argv({"run", workspace.study(), "--accept-changes"}),
                                  {},
                                  "/dev/null",
                                  "/dev/null",
                                  "/dev/null");
  REQUIRE(wait_until(
      [&] { return query_row(workspace, "SELECT max(state = 'running') FROM trial") == "1\n"; },
      20.0));

  CHECK_THAT(workspace.run({"status", "demo"}).out, Contains("1 left, ETA unknown"));

  kill(pid, SIGINT);
  wait_for(pid);
}

TEST_CASE("status follows a run to its end", "[cli]") {
  const TemporaryFolder folder;
  const std::string seen = folder.file("seen");  // trials end once the follower has seen one
  const Workspace workspace(scripted_study(
      "until test -e " + seen +
      "; do sleep 0.05; done; sleep 0.7; test \"$SCALESTUDY_ATTEMPT\" != 1 || { echo broken >&2; "
      "exit 7; }"));
  const pid_t pid = start_program(workspace.argv({"run",
                                                  workspace.study(),
                                                  "--set",
                                                  "trials.count=1",
                                                  "--set",
                                                  "limits.retries=1",
                                                  "--set",
                                                  "axes.devices=[1]"}),
                                  {},
                                  "/dev/null",
                                  "/dev/null",
                                  "/dev/null");
  while (workspace.run({"status", "demo"}).exit_code != 0) {
    usleep(20'000);
  }
  const std::string out = folder.file("out");
  const pid_t follower = start_program(
      workspace.argv({"status", "demo", "--follow"}), {}, "/dev/null", out, "/dev/null");
  const auto told = [&] { return std::filesystem::exists(out) ? read_file(out) : ""; };
  CHECK(wait_until([&] { return told().find("demo: [0/2] trial ") != std::string::npos; }, 60.0));
  write_file(seen, "");
  CHECK(wait_for(follower) == 0);
  CHECK_THAT(told(), Contains("demo: [1/2] trial "));
  CHECK_THAT(told(), Contains("demo   ok          2\n") && !Contains("\x1b["));
  CHECK(wait_for(pid) == 0);
}

TEST_CASE("status redraws itself on a terminal", "[cli]") {
  const Workspace workspace(study_text("slow"));
  const pid_t pid = start_run(workspace);
  std::string command = "timeout 3";
  for (const std::string& word : workspace.argv({"status", "--follow"})) {
    command += " " + word;
  }
  const ProgramResult drawn = scalestudy::test::run_program(
      {"script", "-qec", command, "/dev/null"}, {"TERM=xterm", "NO_COLOR=1"});
  kill(pid, SIGINT);
  wait_for(pid);
  CHECK_THAT(drawn.out, Contains("F\x1b[J") && Contains("now: trial "));
}

TEST_CASE("a run's end says what to look at first, and how to run that trial by hand", "[cli]") {
  const Workspace workspace(scripted_study(
      "test $1 = 1 || { echo no second device >&2; exit 7; }; test $2 = 100 || exit 8"));
  const ProgramResult result = workspace.run({"run", workspace.study()});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Contains("demo: 5 ok, 9 failed, 6 skipped"));
  const std::string ended = result.err.substr(result.err.find("demo: 5 ok"));
  const std::size_t first = ended.find("look first at: 6 trials of 2 cells failed: exit code 7");
  const std::size_t then = ended.find("then at: 3 trials of 1 cell failed: exit code 8");
  REQUIRE(first < then);
  REQUIRE(then != std::string::npos);
  const std::string log = line_with(ended.substr(first), "log: ").substr(5);
  CHECK(read_file(log) == "no second device\n");

  // From anywhere, as it stands: every failed trial's line has it, too.
  const std::string by_hand = line_with(ended.substr(first), "by hand: ").substr(9);
  const ProgramResult again = scalestudy::test::run_program({"sh", "-c", "cd / && " + by_hand});
  CHECK(again.exit_code == 7);
  CHECK_THAT(again.err, Contains("no second device\n") && Contains("samples: /"));
  CHECK_THAT(result.err.substr(0, result.err.find("demo: 5 ok")), Contains(by_hand));
  CHECK_THAT(workspace.run({"status"}).out,
             Contains("last failure: trial ") && Contains("failed: exit code ") &&
                 Contains("log: ") && Contains("by hand: sh "));
}

TEST_CASE("failures that differ in their numbers alone are one kind at a run's end", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [sh, -c, 'echo t=-{level}; echo t=-{level}; echo t=-{level}']\n"
      "axes: {level: [2, 1.5, 1.25, 3]}\nsteps: {warmup: 1, measured: rest}\nvalidity: "
      "{calibration: none, foreign_load: 100%}\ntrials: {count: 1}\n"
      "limits: {retries: 0}\n"
      "extract: [{metric: step_time_s, unit: s, regex: \"t=(.*)\"}]\n");
  const ProgramResult result = workspace.run({"run", workspace.study()});
  CHECK_THAT(
      result.err,
      Contains("look first at: 4 trials of 4 cells invalid: unusable output: stdout line 2: ") &&
          !Contains("then at: "));
}

TEST_CASE("kinds of failures beyond three are counted at a run's end", "[cli]") {
  const auto ended = [](const std::string& codes) {
    const Workspace workspace(
        "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, 'exit {code}']\n"
        "axes: {code: " +
        codes +
        "}\nvalidity: {calibration: none, foreign_load: 100%}\ntrials: {count: 1}\n"
        "limits: {retries: 0}\nextract: [{metric: step_time_s, from: wall_time}]\n");
    return workspace.run({"run", workspace.study()}).err;
  };
  CHECK_THAT(ended("[3, 4, 5, 6, 7]"),
             Contains("\nthen at: ") && Contains("\nand 2 kinds more, in the report\n"));
  CHECK_THAT(ended("[3, 4, 5, 6]"), Contains("\nand 1 kind more, in the report\n"));
  CHECK_THAT(ended("[3, 4, 5]"), Contains("\nthen at: ") && !Contains("more, in the report"));
}

TEST_CASE("a trial run by hand has the parameters of the trial and touches nothing of it",
          "[cli]") {
  const Workspace workspace(scripted_study("test $1 = 1 || exit 7") +
                            "parameters: {env.TOKEN: geheim, env.PLAIN: \"a b''c$d\", size: 3}\n"
                            "secret: [TOKEN]\n");
  workspace.run({"run", workspace.study()});
  const std::string folder = workspace.results() + "/logs/demo";
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string script = entry.path() / "run.sh";
    const std::string text = read_file(script);
    CHECK_THAT(text, !Contains("geheim") && !Contains("SCALESTUDY_STORE"));
    CHECK(scalestudy::test::run_program({"sh", script}).exit_code == 2);  // TOKEN is not set
    if (std::filesystem::exists(entry.path() / "protocol.jsonl")) {
      const std::string before = read_file(entry.path() / "protocol.jsonl");
      const ProgramResult again = scalestudy::test::run_program({"sh", script}, {"TOKEN=x"});
      CHECK(again.exit_code == 0);
      const std::string samples = line_with(again.err, "samples: ").substr(9);
      CHECK(read_file(samples) == before);  // the seed of trainer.sh is the trial
      CHECK(read_file(entry.path() / "protocol.jsonl") == before);
      std::filesystem::remove(samples);
      ++seen;
    }
  }
  CHECK(seen == 10);
}

TEST_CASE("list, show and logs tell of studies, cells and trials", "[cli]") {
  const Workspace workspace(scripted_study("echo to out; echo to err >&2; test $1 = 1 || exit 7"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);
  REQUIRE(workspace.run({"run", workspace.study(), "--set", "study=other", "--max-trials", "3"})
              .exit_code == 3);

  const std::string list = workspace.run({"list", "--format", "csv"}).out;
  CHECK_THAT(list, Contains("\ndemo,partly done,10,6,4,20") && Contains("\nother,stopped,"));
  CHECK_THAT(workspace.run({"list"}).out,
             Contains("age") && Contains("demo   partly done  10       6     4"));

  const auto one = [&](const std::string& column, const std::string& state) {
    const std::string out = workspace
                                .run({"query",
                                      "SELECT " + column +
                                          " FROM trials WHERE study = 'demo' AND "
                                          "state = '" +
                                          state + "' LIMIT 1",
                                      "--format",
                                      "csv"})
                                .out;
    return out.substr(out.find('\n') + 1, out.size() - out.find('\n') - 2);
  };
  const std::string failed = one("trial", "failed");
  const nlohmann::json last =
      nlohmann::json::parse(workspace.run({"status", "demo", "--format", "json"}).out)
          .at(0)
          .at("last_failure");
  CHECK(last["state"] == "failed");
  CHECK_THAT(last["reason"].get<std::string>(), Contains("exit code 7"));
  CHECK(query_row(workspace,
                  "SELECT state FROM trials WHERE trial = " +
                      std::to_string(last["trial"].get<std::int64_t>())) == "failed\n");
  const std::string logs = workspace.run({"logs", failed}).out;
  CHECK_THAT(logs, Contains("/stdout <==\nto out\n") && Contains("/stderr <==\nto err\n"));
  CHECK(workspace.run({"logs", failed, "--stream", "stderr"}).out == "to err\n");
  CHECK_THAT(workspace.run({"logs", one("trial", "ok"), "--stream", "protocol"}).out,
             Catch::StartsWith("{\"v\":1,"));
  CHECK_THAT(refusal_of(workspace, {"logs", "4711"}), Contains("no trial has the number 4711; "));
  const ProgramResult none = workspace.run({"logs", failed, "--stream", "protocol"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("has left no such log"));

  const std::string trial = workspace.run({"show", failed}).out;
  CHECK_THAT(trial, Contains("exit code 7") && Contains("by hand") && Contains("telemetry cpu_s"));
  CHECK_THAT(trial, Contains(" MiB") && !Contains(" MB"));
  const std::string cell = workspace.run({"show", one("cell", "ok"), "--format", "csv"}).out;
  CHECK_THAT(cell, Contains("view,row,name,value\ncells,1,study,demo\n"));
  const nlohmann::json shown =
      nlohmann::json::parse(workspace.run({"show", one("cell", "ok"), "--format", "json"}).out);
  CHECK(shown["parameters"][0]["name"] == "batch_global");
  CHECK(shown["parameters"][0]["value"].is_number_integer());
  CHECK(shown["metrics"][0]["axes"]["batch_global"] == shown["parameters"][0]["value"]);
  CHECK(shown["metrics"][0]["metric"] == "step_time_s");
  CHECK(shown["metrics"][0]["n"] == 5);
  CHECK(shown["metrics"][0]["lo"].get<double>() < shown["metrics"][0]["value"].get<double>());
  CHECK(shown["cells"][0]["baseline_cell"].is_string());
  CHECK(shown["trials"][0]["step_time_s_mean"].is_number_float());
  const nlohmann::json tried =
      nlohmann::json::parse(workspace.run({"show", failed, "--format", "json"}).out);
  CHECK(tried["trials"][0]["exit_code"] == 7);
  CHECK(tried["readings"][0]["unit"].is_string());
  CHECK_THAT(refusal_of(workspace, {"show", "nothing"}),
             Contains("neither a cell nor a trial is nothing; "));
}

TEST_CASE("a trial that is excluded by hand leaves all results until it is taken back", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const auto value = [&](const std::string& sql) {
    const std::string out = workspace.run({"query", sql, "--format", "csv"}).out;
    return out.substr(out.find('\n') + 1, out.size() - out.find('\n') - 2);
  };
  const auto report = [&] {
    REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
    return scalestudy::test::read_pages(workspace.results() + "/reports/demo/report.md");
  };
  const std::string before = report();
  const std::string trial = value("SELECT min(trial) FROM trials");
  const std::string n =
      "SELECT group_concat(n) FROM (SELECT n FROM results WHERE variant = 'all' "
      "ORDER BY label)";
  const std::string mean = "SELECT sum(step_time_s) FROM results WHERE variant = 'all'";
  const std::string left_out = "SELECT sum(n_excluded) FROM results WHERE variant = 'all'";
  CHECK(value(n) == "\"5,5,5,5\"");
  const std::string mean_before = value(mean);

  CHECK_THAT(refusal_of(workspace, {"exclude", trial, ""}), Contains("argument reason is empty\n"));
  CHECK_THAT(refusal_of(workspace, {"exclude", "4711", "no such trial"}),
             Contains("no trial has the number 4711; "));
  CHECK_THAT(refusal_of(workspace, {"exclude", trial, "--undo", "was not"}),
             Contains("trial " + trial + " is ok and was not excluded by hand\n"));
  REQUIRE(workspace.run({"annotate", trial, "the fan was loud"}).exit_code == 0);
  REQUIRE(workspace.run({"exclude", trial, "a backup ran beside it"}).exit_code == 0);
  CHECK_THAT(refusal_of(workspace, {"exclude", trial, "again"}),
             Contains("trial " + trial + " is invalid and in no result; only trials that are ok "));

  const std::string counts = value(n);
  CHECK(std::count(counts.begin(), counts.end(), '4') == 1);
  CHECK(value(left_out) == "1");
  CHECK(value(mean) != mean_before);
  CHECK_THAT(value("SELECT state || ': ' || reason FROM trials WHERE trial = " + trial),
             Contains("invalid: excluded by hand: a backup ran beside it"));
  const std::string remarks = "Remarks that people made on trials:";
  CHECK_THAT(before, !Contains(remarks));
  const std::string without = report();
  CHECK_THAT(without,
             Contains("1 trial is excluded by hand") && Contains("trial " + trial + " (") &&
                 Contains(remarks) && Contains("| exclude | a backup ran beside it |") &&
                 Contains("| note | the fan was loud |"));
  CHECK_THAT(without, !Contains("survivors only"));
  CHECK_THAT(workspace.run({"show", trial}).out,
             Contains("note 20") && Contains("the fan was loud"));
  const ProgramResult run = workspace.run({"run", workspace.study()});  // it has nothing to do
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, !Contains("look first at"));
  CHECK_THAT(workspace.run({"status"}).out, !Contains("last failure"));

  REQUIRE(workspace.run({"exclude", trial, "--undo", "it ran a day earlier"}).exit_code == 0);
  CHECK(value(n) == "\"5,5,5,5\"");
  CHECK(value(left_out) == "0");
  CHECK(value(mean) == mean_before);
  const std::string again = report();
  CHECK_THAT(again,
             Contains("| include | it ran a day earlier |") && !Contains("excluded by hand"));
  CHECK(value("SELECT group_concat(kind) FROM annotations WHERE at LIKE '20%Z'") ==
        "\"note,exclude,include\"");
}

TEST_CASE("on_finish gets the summary of a run that ended, and cannot fail it", "[cli]") {
  const Workspace workspace(study_text() + "on_finish: [sh, -c, 'cat > \"$0\"', \"FILE\"]\n");
  const std::string heard = workspace.file("heard");
  std::string text = read_file(workspace.study());
  text.replace(text.find("FILE"), 4, heard);
  scalestudy::test::write_file(workspace.study(), text);
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "3"}).exit_code == 0);
  const std::string summary = read_file(heard);
  CHECK_THAT(summary, Catch::StartsWith("demo: 17 planned, 3 ok\n") && Contains("\nTrust: "));
  CHECK_THAT(
      summary,
      Catch::EndsWith("\nnext: scalestudy --results " + workspace.results() + " report demo\n"));

  const ProgramResult failing = workspace.run(
      {"run", workspace.study(), "--set", "on_finish=[sh, -c, 'echo no mail here >&2; exit 9']"});
  CHECK(failing.exit_code == 0);  // and it is no change of what is measured
  CHECK_THAT(failing.err,
             Contains("20 ok") && Contains("warning: on_finish: sh ended with exit code 9"));
  CHECK(read_file(workspace.results() + "/logs/demo/on_finish/stderr") == "no mail here\n");

  const ProgramResult killed = workspace.run({"run",
                                              workspace.study(),
                                              "--set",
                                              "trials.count=6",
                                              "--set",
                                              "on_finish=[sh, -c, 'kill -9 $$']"});
  CHECK(killed.exit_code == 0);
  CHECK_THAT(killed.err, Contains("warning: on_finish: sh was ended by signal 9; what it said "));

  std::filesystem::remove(heard);
  const ProgramResult nothing =
      workspace.run({"run", workspace.study(), "--set", "trials.count=6"});
  REQUIRE(nothing.exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(heard));  // nothing was run
}
