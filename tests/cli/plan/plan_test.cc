// `plan`: cells, times, and what earlier trials say of a study to come.
#include <cstdint>
#include <set>
#include <sstream>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace scalestudy;
using Catch::Contains;
using Catch::Matches;
using Catch::StartsWith;
using test::lines_of;
using test::ProgramResult;
using test::query_row;
using test::report_of;
using test::study_text;
using test::Workspace;
using test::write_file;

namespace {

// What a plan as CSV says of a trial of each cell.
struct Block {
  double trials = 0.0;   // of the last cell
  double seconds = 0.0;  // of one trial of each
};

Block block_of(const std::string& csv) {
  Block block;
  std::istringstream rows(csv);
  std::string row;
  for (std::getline(rows, row); std::getline(rows, row);) {
    std::istringstream cells(row);
    std::string cell;
    for (int column = 0; column < 9 && std::getline(cells, cell, ','); ++column) {
      block.trials = column == 7 ? std::stod(cell) : block.trials;
    }
    block.seconds += std::stod(cell);
  }
  return block;
}

}  // namespace

TEST_CASE("people get a plan in words and rounded, programs every column in full", "[cli]") {
  const Workspace level(
      "version: 1\nstudy: level\nworkload: command\ncommand: [gzip, '-{level}']\n"
      "axes: {level: [1, 9]}\nextract: [{metric: step_time_s, from: wall_time}]\n");
  const std::string table = level.run({"plan", level.study()}).out;
  CHECK_THAT(table, StartsWith("cell     id        trials\n") && Contains("level 9"));
  CHECK_THAT(level.run({"plan", level.study(), "--format", "csv"}).out,
             Contains(",devices,batch_global,batch_per_device,"));

  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string known = workspace.run({"plan", workspace.study()}).out;
  INFO(known);
  CHECK_THAT(known, Contains("2 devices, batch 1000") && Contains("  1 device  "));
  CHECK_THAT(known, Contains(" ms ") && Contains(" %  ") && !Contains("batch_global"));
  for (const std::string& word : {std::string("0.00"), std::string("e-0")}) {
    CHECK_THAT(known, !Contains(word));
  }
}

TEST_CASE("a plan begins with what is left to run, and how long that takes", "[cli]") {
  const Workspace workspace;
  const auto first_lines = [&] {
    const std::vector<std::string> lines = lines_of(workspace.run({"plan", workspace.study()}).err);
    return lines.at(0) + "\n" + lines.at(1);
  };
  CHECK_THAT(first_lines(),
             StartsWith("demo: 20 trials, 5 of each of 4 cells (strong scaling), ") &&
                 Contains("unknown until one has run; at most 6 min 40 s"));  // 20 of 20 s
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  CHECK_THAT(first_lines(),
             StartsWith("demo: 8 of 20 trials are left, 5 of each of 4 cells") &&
                 Contains("They take about ") && Contains("earlier trials of 4 of 4 cells."));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK_THAT(
      first_lines(),
      StartsWith("demo: none of its 20 trials is left, ") && Contains("\nAll of them take about "));
}

TEST_CASE("a plan tells programs what is left of each cell, and how long that takes", "[cli]") {
  const Workspace workspace;
  const auto planned = [&] {
    return nlohmann::json::parse(
        workspace.run({"plan", workspace.study(), "--format", "json"}).out);
  };
  for (const auto& cell : planned()) {
    CHECK(cell["left"] == 5);
    CHECK(cell["left_s"].is_null());
  }
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  std::int64_t left = 0;
  std::set<std::string> hashes;
  const nlohmann::json cells = planned();
  for (const auto& cell : cells) {
    left += cell["left"].get<std::int64_t>();
    CHECK(cell["left_s"].get<double>() ==
          Approx(cell["left"].get<double>() * cell["trial_s"].get<double>()));
    hashes.insert(cell["cell"].get<std::string>());
  }
  CHECK(left == 8);
  for (const auto& cell : cells) {
    CHECK(hashes.contains(cell["baseline_cell"].get<std::string>()));
  }
}

TEST_CASE("a plan counts trials that a study lacked for a while as left to run", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);
  REQUIRE(workspace.run({"run", workspace.study(), "--set", "axes.devices=[1]", "--accept-changes"})
              .exit_code == 0);
  const int ok = std::stoi(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'ok'"));
  REQUIRE(ok < 20);

  const ProgramResult plan = workspace.run({"plan", workspace.study()});

  CHECK_THAT(plan.err, StartsWith("demo: " + std::to_string(20 - ok) + " of 20 trials are left, "));
}

TEST_CASE("plan shows cells as data and the rest as chatter", "[cli]") {
  const Workspace workspace;
  const ProgramResult cells = workspace.run({"plan", workspace.study(), "--format", "csv"});
  CHECK_THAT(cells.out, StartsWith("cell,role,label,devices,batch_global"));
  CHECK_THAT(
      cells.err,
      StartsWith(
          "demo: 20 trials, 5 of each of 4 cells (strong scaling), in blocks of random order") &&
          Contains("is unknown until one has run; at most "));
  const ProgramResult order =
      workspace.run({"plan", workspace.study(), "--order", "--precision", "1%", "--format", "csv"});
  CHECK_THAT(order.err, Contains("trials for ±1 %: how many trials give an interval"));
  CHECK(std::count(order.out.begin(), order.out.end(), '\n') == 21);
}

TEST_CASE("plan says what floors in time cost", "[cli]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string study = folder.file("s.yaml");
  std::ofstream(study) << "version: 1\nstudy: s\nworkload: train\nparameters: {model: mlp-258k}\n"
                          "axes: {devices: [1, 2], batch_global: [32]}\nvalidity: {calibration: "
                          "none}\ntrials: {count: 10}\n"
                          "steps: {warmup_time: 200ms, measured_time: 300ms}\n";
  const Workspace workspace;

  const ProgramResult plan = workspace.run({"plan", study});

  // 20 trials of 0.2 + 0.3 s, or of 0.8 + 0.3 s.
  CHECK_THAT(plan.err,
             Contains("a warm-up of at least 200 ms and 10 steps") &&
                 Contains("take at least 10 s, and 22 s if no step times settle"));
}

TEST_CASE("plan estimates the time from earlier trials", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const ProgramResult plan = workspace.run({"plan", workspace.study(), "--format", "json"});
  CHECK_THAT(plan.err,
             Contains("earlier trials of 4 of 4 cells") && Contains("smallest difference"));
  CHECK_THAT(plan.out, Contains("\"cv\": 0.0") && !Contains("\"trials_for_margin\": null"));
  // Of one night alone.
  CHECK_THAT(plan.err,
             Contains("Within one night, a gate of 2 % fires by chance in ") &&
                 Contains("; it takes 5 sessions to tell how much nights differ, and there is 1."));

  // Trials with another warm-up say how long a trial takes, not how much they differ.
  const ProgramResult other = workspace.run({"plan", workspace.study(), "--set", "steps.warmup=1"});
  CHECK_THAT(other.err,
             Contains("earlier trials of 4 of 4 cells") && !Contains("smallest difference") &&
                 Contains("has run in 3 with the steps that the study now asks for. "));
}

TEST_CASE("what a study takes from elsewhere is missed before time is spent", "[cli]") {
  test::skip_on_one_core();
  const Workspace workspace(
      study_text("-",
                 "  targets: [{name: t, metric: speedup, at_least: 95 % of published:paper}]\n"
                 "  communication: {study: lnks}\n"));
  const ProgramResult validate = workspace.run({"validate", workspace.study()});
  CHECK(validate.exit_code == 0);
  CHECK_THAT(validate.err,
             Contains("target \"t\": there is no store yet, and so no paper") &&
                 Contains("analysis.communication: there is no store yet, and so"));

  const ProgramResult run = workspace.run({"run", workspace.study(), "--gate"});
  CHECK(run.exit_code == 5);  // undecided
  CHECK_THAT(run.out, Contains("Targets: 1 undecided (t).") && Contains("Trust: "));
  CHECK_THAT(report_of(workspace),
             Contains("this store has no publication paper; import it: scalestudy import FOLDER"));
  CHECK_THAT(workspace.run({"validate", workspace.study()}).err,
             Contains("target \"t\": this store has no publication paper") &&
                 Contains("analysis.communication: this store has no study lnks; run it first"));
  const std::string own = "analysis.communication.study=demo";  // which has run
  CHECK_THAT(workspace.run({"validate", workspace.study(), "--set", own}).err,
             !Contains("analysis.communication: "));
}

TEST_CASE("plan counts the looks for an idle machine", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::vector<std::string> asked = {"plan", workspace.study(), "--format", "csv"};
  std::vector<std::string> waiting = asked;
  waiting.insert(waiting.end(), {"--set", "validity={policy: requeue}"});

  // half a second before each of four trials
  CHECK(block_of(workspace.run(waiting).out).seconds ==
        Approx(block_of(workspace.run(asked).out).seconds + 2.0));
}

TEST_CASE("plan says how many trials a precision needs, from a pilot or not at all", "[cli]") {
  const Workspace workspace;
  const std::vector<std::string> asked = {
      "plan", workspace.study(), "--format", "json", "--precision", "1%"};
  const ProgramResult before = workspace.run(asked);
  workspace.run({"run", workspace.study()});
  const ProgramResult after = workspace.run(asked);

  CHECK_THAT(before.err, Contains("half-width of 1 %; unknown until a cell has two trials"));
  CHECK_THAT(before.out, Contains("\"trials_for_precision\": null"));
  CHECK_THAT(after.err, Contains("half-width of 1 %, from earlier trials of 4 of 4 cells"));
  CHECK_THAT(
      after.out,
      Contains("\"trials_for_precision_hi\": ") && !Contains("\"trials_for_precision\": null"));
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--format", "json"}).out,
             !Contains("trials_for_precision"));
  CHECK(workspace.run({"plan", workspace.study(), "--precision", "0.5"}).exit_code == 2);
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--precision", "100%"}).err,
             Contains("--precision 100%: needs a percentage between 0% and 100%, e.g. 2%"));
}

// Steps take as long whatever the devices, each of which has 100 samples.
TEST_CASE("plan says how many trials a precision needs of times that hardly spread", "[cli]") {
  // A line for each step, or for every tenth.
  const std::string tenth = "step (?<step>.*): t=(?<value>.*)";
  const auto variant = GENERATE_COPY(
      std::vector<std::string>{"1 2 3", "t=(?<value>.*)", "warmup: 1, measured: rest"},
      std::vector<std::string>{"10 20 30", tenth, "warmup: 10, measured: rest"},
      std::vector<std::string>{"10 20 30", tenth, "warmup: 10, measured: 20"},
      // The warm-up ends within a line, the second, which is of steps 11 to 20.
      std::vector<std::string>{"10 20 30", tenth, "warmup: 15, measured: 15"});
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [sh, -c, 'for i in " +
      variant[0] +
      "; do echo \"step $i: t=1.000000000$SCALESTUDY_BLOCK\"; done']\n"
      "axes: {batch_global: [8]}\nsteps: {" +
      variant[2] +
      "}\nvalidity: {calibration: none}\ntrials: {count: 3}\n"
      "extract: [{metric: step_time_s, unit: s, regex: '" +
      variant[1] + "'}]\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult plan =
      workspace.run({"plan", workspace.study(), "--precision", "1%", "--format", "csv"});
  INFO(plan.err);
  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.out, Contains(",2,2,2,"));
}

// 1.00 to 1.04 s in the first session, 2.05 to 2.09 s in the second: trials of all would take 5.
TEST_CASE("plan takes the spread of trials inside sessions", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [sh, -c, 'echo t=$SCALESTUDY_SESSION.0$SCALESTUDY_BLOCK']\n"
      "axes: {batch_global: [8]}\nsteps: {warmup: 0, measured: rest}\n"
      "validity: {calibration: none}\n"
      "extract: [{metric: step_time_s, unit: s, regex: \"t=(.*)\"}]\n");
  for (const char* count : {"trials.count=5", "trials.count=10"}) {
    REQUIRE(
        workspace.run({"run", workspace.study(), "--set", count, "--accept-changes"}).exit_code ==
        0);
  }

  const ProgramResult plan =
      workspace.run({"plan", workspace.study(), "--precision", "50%", "--format", "csv"});
  INFO(plan.out + plan.err);
  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.out, Contains(",2,2,2,"));

  // A cv of 1.222 % with 8 degrees of freedom lies between 0.8254 and 2.341 %.
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--precision", "1%", "--format", "csv"}).out,
             Contains(",0.012219") && Contains(",9,6,24,"));
}

TEST_CASE("a verdict of weak scaling is expected by samples, not by steps", "[cli]") {
  std::string text = scalestudy::test::study_text();
  text.replace(text.find("batch_global: [100, 1000]"), 25, "batch_per_device: [100]");
  text.replace(text.find("{devices}\", \"{batch_global}"), 26, "1\", \"{batch_per_device}");
  text += "env: {COUNT: \"{devices}\"}\n";
  const Workspace workspace(text);
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);

  const std::string cells = workspace.run({"plan", workspace.study(), "--format", "json"}).out;

  CHECK_THAT(cells, Contains("\"likely\": \"faster\"") && !Contains("\"slower\""));
}

TEST_CASE("plan says what a night buys, from a pilot or not at all", "[cli]") {
  const Workspace workspace;
  const std::vector<std::string> asked = {
      "plan", workspace.study(), "--format", "json", "--budget", "8h"};
  const ProgramResult before = workspace.run(asked);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const ProgramResult after = workspace.run(asked);
  const std::vector<std::string> others = {
      "plan", workspace.study(), "--set", "axes.batch_global=[7]"};

  CHECK_THAT(workspace.run(others).err, !Contains("spread: "));
  CHECK(before.exit_code == 2);
  CHECK_THAT(before.err, Contains("--budget 8h: no trial of these cells has run"));
  CHECK_THAT(after.err, Contains("8 h 00 min buys ") && Contains("(the study declares 5)"));
  const auto bought = [](const std::string& err) {
    const std::string text = err.substr(err.find("buys ") + 5);
    return std::stoi(text.substr(0, text.find(' ')));
  };
  CHECK_THAT(after.err,
             Contains(" of each cell in all, " + std::to_string(4 * (bought(after.err) - 5)) +
                      " more over all cells"));
  CHECK_THAT(after.err, Contains("until a cell has run in 3."));
  // trainer.sh: a second device makes steps shorter by half.
  CHECK_THAT(after.out, Contains("\"likely\": \"faster\"") && !Contains("\"half_width\": null"));
  // trials,trial_s of each cell: as many as fit into a minute, and not one more of each.
  const ProgramResult minute =
      workspace.run({"plan", workspace.study(), "--budget", "1min", "--format", "csv"});
  const Block block = block_of(minute.out);
  CHECK_THAT(minute.err, Contains(std::to_string(4 * static_cast<int>(block.trials)) + " trials"));
  CHECK(block.trials * block.seconds <= 60.001);
  CHECK((block.trials + 1.0) * block.seconds >= 59.999);
  for (const std::string wrong : {"8", "0s"}) {
    CHECK_THAT(refusal_of(workspace, {"plan", workspace.study(), "--budget", wrong}),
               Contains("--budget " + wrong + ": needs a duration above 0, e.g. 8h"));
  }
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--budget", "1ms"}).err,
             Contains("one trial of each cell takes about"));

  for (const char* session : {"2", "3"}) {
    REQUIRE(workspace.run({"run", workspace.study(), "--set", std::string("study=s") + session})
                .exit_code == 0);
  }
  CHECK_THAT(workspace.run(asked).err, Contains("an interval over sessions is within 2 % with "));
}

// Of three starts a second apart, the stored first and last are two seconds apart at least.
TEST_CASE("the setup of each trial is part of the time that a study takes", "[cli]") {
  const std::string text =
      "version: 1\nstudy: slow\nworkload: command\ncommand: ['true']\n"
      "extract: [{metric: step_time_s, from: wall_time}]\ntrials: 3\n"
      "validity: {calibration: none}\n";
  const Workspace workspace(text + "setup: [sleep, '1']\n");
  const ProgramResult check = workspace.run({"run", workspace.study(), "--check"});
  CHECK_THAT(check.err, Contains("3 trials, about ") && !Contains(" ms\n"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult plan =
      workspace.run({"plan", workspace.study(), "--budget", "9s", "--format", "csv"});

  CHECK_THAT(plan.err, Matches("(.|\n)*9 s buys [1-9] trials? of each cell(.|\n)*"));
  CHECK(block_of(plan.out).seconds >= 0.95);
  // Of trials that take a second, three fit into 3.5 s at most.
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--budget", "3.5s"}).err,
             Contains(" of each cell, all of which have run (the study declares 3): "));
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--budget", "99999h"}).err,
             Contains(" buys 100000 trials of each cell in all, 99997 more over all cells, the "
                      "most that are allowed (the study declares 3)"));
  for (const char* other : {"", "setup: ['true']\n"}) {
    CAPTURE(other);
    write_file(workspace.study(), text + other);
    const ProgramResult planned = workspace.run({"plan", workspace.study(), "--format", "csv"});
    CHECK(block_of(planned.out).seconds < 0.5);
  }
}

TEST_CASE("a plan leaves out batches that a run would skip again as too large", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: large\nworkload: command\ntrials: 2\n"
      "command: [sh, -c, 'test {batch_global} -lt 16 || { echo CUDA out of memory >&2; exit 1; "
      "}']\n"
      "axes: {batch_global: [4, 16, 32]}\nextract: [{metric: step_time_s, from: wall_time}]\n"
      "limits: {after_oom: skip_larger}\nvalidity: {calibration: none}\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);

  CHECK_THAT(workspace.run({"plan", workspace.study()}).err,
             StartsWith("large: none of its 6 trials is left, "));
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--set", "limits.after_oom=go_on"}).err,
             StartsWith("large: 2 of 6 trials are left, "));
}

TEST_CASE("plan takes no time from trials of the command before a change", "[cli]") {
  const std::string text =
      "version: 1\nstudy: demo\nworkload: command\n"
      "extract: [{metric: step_time_s, from: wall_time}]\nvalidity: {calibration: none}\n";
  const Workspace workspace(text + "command: ['true']\ntrials: 3\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  write_file(workspace.study(), text + "command: [sleep, '0.4']\ntrials: 4\n");
  REQUIRE(workspace.run({"run", workspace.study(), "--accept-changes"}).exit_code == 0);

  const std::string plan = workspace.run({"plan", workspace.study(), "--format", "csv"}).out;

  CHECK(block_of(plan).seconds >= 0.4);
}

TEST_CASE("plan takes no time from sessions whose study this version cannot read", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE session SET study_text = 'version: 1', study_hash = 'another'");

  const ProgramResult plan = workspace.run({"plan", workspace.study(), "--set", "study=other"});

  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.err, Contains("is unknown until one has run"));
}

TEST_CASE("plan takes nothing from trials of another command", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const ProgramResult same = workspace.run({"plan", workspace.study(), "--set", "study=other"});
  const ProgramResult other = workspace.run(
      {"plan", workspace.study(), "--set", "command=['true', '{devices}', '{batch_global}']"});
  CHECK_THAT(same.err, Contains("from earlier trials of 4 of 4 cells"));
  CHECK_THAT(other.err,
             Contains("is unknown until one has run") && !Contains("smallest difference"));
}

TEST_CASE("plan adds the time of steps that earlier trials did not have", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const ProgramResult plan = workspace.run(
      {"plan", workspace.study(), "--set", "steps.measured=10010", "--format", "json"});
  // 10,000 steps more. trainer.sh: 0.01, 0.006, 0.1 and 0.051 s a step, 5 trials each: 8,350 s.
  CHECK_THAT(plan.err, Contains("about 2 h"));
  // Trials of other steps say nothing of the spread of these.
  CHECK_THAT(plan.out, Contains("\"cv\": null") && !Contains("\"cv\": 0"));
}
