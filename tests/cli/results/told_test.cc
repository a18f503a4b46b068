// Black box: what would go wrong in silence is told: files of others, folders of no use, cleanups.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;
namespace fs = std::filesystem;

namespace {

// A study "demo" of one cell whose trials print t=SECONDS for `steps` steps, one of them warm-up.
std::string study(const std::string& steps, const std::string& more = "") {
  return "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, 'for i in " + steps +
         "; do echo t=1$i; done']\nsteps: {warmup: 1, measured: rest}\nvalidity: {calibration: "
         "none}\ntrials: {count: 2}\n"
         "extract: [{metric: step_time_s, unit: s, regex: \"t=(.*)\"}]\n" +
         more;
}

}  // namespace

TEST_CASE("a report overwrites reports, and other files only where that is asked for", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);
  const std::string folder = workspace.file("notes");
  fs::create_directories(folder);
  write_file(folder + "/report.md", "mine");

  const ProgramResult refused = workspace.run({"report", "demo", "--output", folder});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("its report.md is of no report that scalestudy wrote"));
  CHECK(read_file(folder + "/report.md") == "mine");
  CHECK_FALSE(fs::exists(folder + "/results.json"));

  CHECK(workspace.run({"report", "demo", "--output", folder, "--force"}).exit_code == 0);
  CHECK_THAT(read_file(folder + "/report.md"), Contains("Does a second device pay?"));
  // From then on it is a report's folder, also where the page was edited.
  write_file(folder + "/report.md", "edited");
  CHECK(workspace.run({"report", "demo", "--output", folder}).exit_code == 0);
  CHECK_THAT(read_file(folder + "/report.md"), Contains("Does a second device pay?"));
}

TEST_CASE("a folder of templates that a report would not use is refused", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);
  const std::string house = workspace.file("house");
  const auto report = [&] { return workspace.run({"report", "demo", "--template", house}); };
  fs::create_directories(house + "/partials");
  write_file(house + "/partials/anwser.md", "mine");
  write_file(house + "/notes.md", "# {{title}}\n");  // of another kind than the study's

  CHECK(report().exit_code == 2);
  CHECK_THAT(report().err,
             Contains("nothing of it would be used: it has none of report.md, scaling.md"));
  write_file(house + "/partials/threats.md", "## Mind\n");
  CHECK_THAT(
      report().err,
      Contains("anwser.md: nothing uses this file") && Contains("(did you mean \"answer.md\"?)"));
  fs::remove(house + "/partials/anwser.md");
  CHECK(report().exit_code == 0);
}

TEST_CASE("a cleanup that fails is told by the run and in its report", "[cli]") {
  const Workspace workspace(study("1 2 3", "cleanup: [sh, -c, 'echo gone >&2; exit 3']\n"));
  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("warning: the only cell  block 1: cleanup: exit code 3: gone"));
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.results() + "/reports/demo/report.md"),
             Contains("The cleanup after 2 of 2 ok trials"));
}

TEST_CASE("a server that setup starts is not there in the trial, which is told", "[cli]") {
  const Workspace workspace(study("1 2 3", "setup: 'sleep 600 &'\n"));
  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err,
             Contains("block 1: setup: 1 process that it had left running was ended before the "
                      "trial (trial 1)"));
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.results() + "/reports/demo/report.md"),
             Contains("What setup left running before 2 of 2 ok trials (first: "));
  const Workspace ends(study("1 2 3", "setup: 'sleep 0.1 &'\n"));
  CHECK_THAT(ends.run({"run", ends.study()}).err, !Contains("left running"));
}

TEST_CASE("what is measured of a program that runs one step too few is told", "[cli]") {
  const Workspace workspace(study("1 2"));
  const ProgramResult check = workspace.run({"run", workspace.study(), "--check"});

  CHECK_THAT(check.err,
             Contains("warning: 1 of 1 ok trial (1 device) measured only one step") &&
                 Contains("docs/how-to/warnings.md, \"Single steps\")"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK_THAT(workspace.run({"query", "SELECT kind FROM threats", "--format", "csv"}).out,
             Contains("single_steps"));
  const Workspace enough(study("1 2 3"));
  CHECK_THAT(enough.run({"run", enough.study(), "--check"}).err, !Contains("only one step"));
}

TEST_CASE("times that cannot be are told where they are read first", "[cli]") {
  const Workspace seconds(study("1 2 3"));  // 12 s and 13 s of a trial of some ms
  const ProgramResult check = seconds.run({"run", seconds.study(), "--check"});
  CHECK_THAT(check.err, Contains("1 of 1 ok trial (1 device) add up to more than"));
  std::string text = study("1 2 3");
  text.replace(text.find("unit: s,"), 8, "unit: us,");
  const Workspace microseconds(text);
  CHECK_THAT(microseconds.run({"run", microseconds.study(), "--check"}).err,
             !Contains("add up to more"));
}

TEST_CASE("blocks count from 1 for people and from 0 for programs, as in the store", "[cli]") {
  const Workspace workspace(study("1 2 3"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  CHECK_THAT(workspace.run({"show", "1", "--format", "csv"}).out, Contains("\ntrials,1,block,0\n"));
  CHECK_THAT(workspace.run({"show", "1", "--format", "markdown"}).out, Contains("| block | 1 |"));
  const auto answer =
      workspace.run({"query", "SELECT cell FROM trials WHERE trial = 1", "--format", "csv"});
  const std::string cell = answer.out.substr(5, 8);
  CHECK_THAT(workspace.run({"show", cell, "--format", "csv"}).out,
             Contains("\ntrials,1,block,0\n"));
  const auto shown = nlohmann::json::parse(workspace.run({"show", cell, "--format", "json"}).out);
  CHECK(shown["trials"][0]["block"] == 0);
  CHECK_THAT(workspace.run({"show", cell, "--format", "markdown"}).out,
             Contains("| trial 1 | ok, block 1, "));
  // The second position is of the second block.
  const auto order = [&](const std::string& format) {
    return workspace.run({"plan", workspace.study(), "--order", "--format", format}).out;
  };
  CHECK_THAT(order("csv"), Contains("\n1,1,"));
  CHECK_THAT(order("markdown"), Contains("| 1 | 2 |"));
}

TEST_CASE("a slow rate is shown in a unit that fits it", "[cli]") {
  std::string text = study("2000 2000");
  const std::string rules = "extract: [";
  text.insert(text.find(rules) + rules.size(),
              "{metric: sent, unit: bytes/s, regex: \"t=(.*)\"}, ");
  const Workspace workspace(text);
  const ProgramResult ran = workspace.run({"run", workspace.study()});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);

  CHECK_THAT(workspace.run({"show", "1"}).out, Contains("12 kB/s"));
}

TEST_CASE("commands to copy name paths as a shell takes them", "[cli]") {
  const Workspace workspace;
  const std::string spaced = workspace.file("my study.yaml");
  const std::string next = "next: scalestudy --results " + workspace.results();
  CHECK_THAT(workspace.run({"init", spaced}).err, Contains(next + " plan '" + spaced + "'"));
  const std::string house = workspace.file("my house");
  CHECK_THAT(workspace.run({"init", "--template", house}).err,
             Contains(next + " report STUDY --template '" + house));
}

TEST_CASE("values without a cell are told after --set, and refused in a file", "[cli]") {
  const Workspace workspace(scalestudy::test::study_text(
      "-", "  targets: [{name: t, metric: speedup, where: {devices: 2}, at_least: 1}]\n"));
  CHECK(workspace.run({"validate", workspace.study()}).exit_code == 0);
  const ProgramResult one =
      workspace.run({"validate", workspace.study(), "--set", "axes.devices=[1]"});
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.err, Contains("warning: ") && Contains("no cell has devices=2; there are 1"));
  const ProgramResult plan =
      workspace.run({"plan", workspace.study(), "--set", "axes.devices=[1]"});
  CHECK_THAT(plan.err, Contains("no cell has devices=2"));
}

TEST_CASE("cells that this machine cannot run are told before time is spent on them",
          "[cli][mpi]") {
  const Workspace workspace(
      "version: 1\nstudy: kept\nworkload: train\n"
      "parameters: {model: mlp-258k, batch_per_device: 8}\n"
      "axes: {offload: [none, optimizer], devices: [1, 2]}\nvalidity: {calibration: none, "
      "foreign_load: 100%}\ntrials: "
      "{count: 2}\n");
  const std::string offloaded =
      "2 of 4 cells would end unsupported here (offload=optimizer devices=1, ...): offload "
      "optimizer takes its state out of a GPU's memory";
  const auto told = [&](const std::vector<std::string>& words) {
    const ProgramResult result = workspace.run(words, {"CUDA_VISIBLE_DEVICES="});
    CHECK(result.exit_code == 0);
    return result.err;
  };

  CHECK_THAT(told({"validate", workspace.study()}), Contains(": " + offloaded));
  CHECK_THAT(told({"plan", workspace.study()}), Contains("warning: " + offloaded));
  CHECK_THAT(told({"validate", workspace.study(), "--set", "axes.offload=[none]"}),
             !Contains("unsupported"));
  CHECK_THAT(told({"validate", workspace.study(), "--set", "parameters.backend=cuda"}),
             Contains("4 of 4 cells would end unsupported here (") &&
                 Contains("backend cuda computes on GPUs, and NVML shows none on this machine"));
}

TEST_CASE("cells that this machine cannot run fail no run that has others", "[cli][mpi]") {
  const Workspace workspace(
      "version: 1\nstudy: kept\nworkload: train\n"
      "parameters: {model: mlp-258k, batch_per_device: 8, devices: 1}\n"
      "axes: {offload: [none, optimizer]}\nsteps: {warmup: 1, measured: 3}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n"
      "analysis: {baseline: {offload: none}}\n");

  const ProgramResult checked = workspace.run({"run", workspace.study(), "--check"});
  INFO(checked.err);
  CHECK(checked.exit_code == 0);
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("look first at: 2 trials of 1 cell unsupported: offload optimizer"));
  CHECK(scalestudy::test::query_row(workspace, "SELECT verdict FROM speedups") == "unsupported\n");
  REQUIRE(workspace.run({"report", "kept"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.results() + "/reports/kept/data/speedups.csv"),
             Contains(",unsupported,"));

  const ProgramResult none = workspace.run({"run",
                                            workspace.study(),
                                            "--check",
                                            "--set",
                                            "axes.offload=[optimizer]",
                                            "--set",
                                            "analysis.baseline={}"});
  INFO(none.err);
  CHECK(none.exit_code == 3);
}

TEST_CASE("an estimate of a metric that one trial lacks does not name that trial", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [sh, -c, 'for i in 1 2 3; do echo t=1$i; done; "
      "[ $SCALESTUDY_BLOCK = 1 ] || echo loss=0.$SCALESTUDY_BLOCK']\n"
      "axes: {batch_global: [8]}\nsteps: {warmup: 1, measured: rest}\nvalidity: {calibration: "
      "none}\ntrials: {count: 4}\n"
      "extract:\n- {metric: step_time_s, unit: s, regex: \"t=(.*)\"}\n"
      "- {metric: loss, unit: \"1\", regex: \"loss=(.*)\"}\n"
      "analysis: {targets: [{name: slow, metric: step_time_s, at_least: 1s}]}\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);

  const auto trials_of = [&](const std::string& metric) {
    const ProgramResult result = workspace.run(
        {"query",
         "--format",
         "csv",
         "SELECT n, (SELECT group_concat(trial, ' ') FROM evidence WHERE kind = 'estimate' AND "
         "evidence.result = metrics.result) AS trials FROM metrics WHERE statistic = 'mean' AND "
         "variant = 'all' AND metric = '" +
             metric + "'"});
    return result.out.substr(result.out.find('\n') + 1);
  };
  CHECK(trials_of("step_time_s") == "4,1 2 3 4\n");
  CHECK(trials_of("loss") == "3,1 3 4\n");
  const std::string data = workspace.results() + "/reports/demo/data/";
  CHECK_THAT(read_file(data + "results.csv"), Contains(",loss,mean,all,") && Contains(",1 3 4\n"));
  CHECK_THAT(read_file(data + "targets.csv"), Contains(",1 2 3 4,\n"));
}
