// Black box: what results and reports say of studies that were changed, retried, or measured in
// another unit.
#include <filesystem>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::query_row;
using scalestudy::test::read_file;
using scalestudy::test::report_of;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// A study "demo" of one axis, whose values are batches of trainer.sh.
std::string knob_study(const std::string& values,
                       const std::string& analysis = "",
                       const std::string& what = "-") {
  return "version: 1\n"
         "study: demo\n"
         "workload: command\n"
         "command: [" SCALESTUDY_SOURCE_DIR "/tests/cli/trainer.sh, \"1\", \"{knob}\", \"" +
         what +
         "\"]\n"
         "axes: {knob: [" +
         values +
         "]}\n"
         "steps: {warmup: 2, measured: 10}\n"
         "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 5}\n"
         "limits: {timeout: 20s, silence: 20s, retries: 1}\n"
         "analysis: {baseline: {knob: 100}" +
         analysis + "}\n";
}

void change(const Workspace& workspace, const std::string& text) {
  write_file(workspace.study(), text);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 2);
  REQUIRE(workspace.run({"run", workspace.study(), "--accept-changes"}).exit_code == 0);
}

// What the comparisons say in full; the report leaves out what its columns say.
std::string findings(const Workspace& workspace) {
  return query_csv(workspace, "SELECT finding FROM speedups");
}

// A command that says how long it took, of which a rule reads the time.
std::string took_study(int trials) {
  return "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, 'echo took 8']\n"
         "steps: {warmup: 0, measured: 1}\nvalidity: {calibration: none}\ntrials: {count: " +
         std::to_string(trials) +
         "}\nextract: [{metric: step_time_s, regex: 'took (\\S+)', unit: ms}]\n";
}

}  // namespace

TEST_CASE("a cell that was added later is not compared until blocks hold it and its base",
          "[cli]") {
  const Workspace workspace(knob_study("100, 200"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK_THAT(findings(workspace), Contains("paired over 5 blocks"));

  change(workspace, knob_study("100, 200, 300"));

  const std::string report = report_of(workspace);
  CHECK(query_csv(workspace, "SELECT label, method FROM speedups ORDER BY label") ==
        "label,method\nknob=200,log_ratio_delta_paired\nknob=300,log_ratio_delta\n");
  CHECK_THAT(findings(workspace),
             Contains("(0 against 0 trials of blocks that hold both, left out without a "
                      "partner: 5 trials of this cell and 5 of the other, shares of sessions "
                      "differ): not enough data"));
  CHECK_THAT(report,
             Contains("### Warning: across sessions\n\n- Not compared: knob 300 with knob 100."));

  std::string longer = knob_study("100, 200, 300");
  longer.replace(longer.find("count: 5"), 8, "count: 8");
  write_file(workspace.study(), longer);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);  // no change
  CHECK_THAT(findings(workspace),
             Contains("3 against 3 trials of blocks that hold both, left out without a "
                      "partner: 5 trials of this cell and 5 of the other, shares of sessions "
                      "differ)"));
}

TEST_CASE("a cell that left the study is in no result, and its trials are kept", "[cli]") {
  const Workspace workspace(knob_study("100, 200, 300"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  change(workspace, knob_study("100, 300"));

  const std::string report = report_of(workspace);
  CHECK(query_csv(workspace, "SELECT DISTINCT label FROM results ORDER BY label") ==
        "label\nknob=100\nknob=300\n");
  CHECK(query_csv(workspace, "SELECT state, count FROM accounting") == "state,count\nok,10\n");
  CHECK(workspace.run({"status", "--format", "csv"}).out == "study,state,count\ndemo,ok,10\n");
  CHECK_THAT(report, Contains("| **planned in all** | **10** |"));
  CHECK_THAT(report, Contains("5 trials belong to cells that are no longer in the study"));
  CHECK_THAT(report, Contains("| knob 200 | no longer in the study |"));

  change(workspace, knob_study("100, 200, 300"));
  CHECK_THAT(report_of(workspace), Contains("| **planned in all** | **15** |"));
}

TEST_CASE("a study of fewer trials is done with those, on every screen", "[cli]") {
  const Workspace workspace(knob_study("100, 300"));
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);

  const ProgramResult run = workspace.run({"run", workspace.study(), "--set", "trials.count=2"});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("demo: 4 ok\n"));
  CHECK_THAT(workspace.run({"list", "--format", "csv"}).out, Contains("\ndemo,done,4,0,0,"));
  CHECK(workspace.run({"status", "--format", "csv"}).out == "study,state,count\ndemo,ok,4\n");
  CHECK(query_csv(workspace, "SELECT state, count FROM accounting") == "state,count\nok,4\n");
  const std::string report = report_of(workspace);
  CHECK_THAT(report, Contains("(complete, 4 of 4 trials ok, 2 per cell, "));
  CHECK_THAT(report, Contains("| **planned in all** | **4** |"));
  CHECK_THAT(report, !Contains("no longer in the study"));
}

TEST_CASE("a plan shows what a run that accepts the changes would run", "[cli]") {
  const std::string text =
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [sh, -c, '[ $0 = 1 ] || [ -n \"$FIX\" ] || exit 1; echo took 8', '{knob}']\n"
      "axes: {knob: [1, 2]}\nsteps: {warmup: 0, measured: 1}\nlimits: {retries: 0}\n"
      "extract: [{metric: step_time_s, unit: ms, regex: 'took (\\S+)'}]\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n";
  const Workspace workspace(text);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);
  const ProgramResult same = workspace.run({"plan", workspace.study()});
  CHECK_THAT(same.err, Contains("demo: none of its 4 trials is left") && !Contains("will refuse"));

  write_file(workspace.study(), text + "env: {FIX: '1'}\n");
  const ProgramResult plan = workspace.run({"plan", workspace.study()});

  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.err,
             Contains("demo: 2 of 4 trials are left") &&
                 Contains("`run` will refuse: study demo has changed since its trials ran") &&
                 Contains("--accept-changes"));
  // A trial that was excluded by hand is none of the failures that are tried again.
  std::string trial = query_row(workspace, "SELECT min(trial) FROM trials WHERE state = 'ok'");
  trial.pop_back();
  REQUIRE(workspace.run({"exclude", trial, "a backup ran beside it"}).exit_code == 0);
  CHECK_THAT(workspace.run({"plan", workspace.study()}).err,
             Contains("demo: 2 of 4 trials are left"));
  REQUIRE(workspace.run({"exclude", trial, "--undo", "it ran later"}).exit_code == 0);
  CHECK(workspace.run({"run", workspace.study(), "--accept-changes"}).exit_code == 0);
  CHECK(query_csv(workspace, "SELECT state, count FROM accounting") == "state,count\nok,4\n");
}

TEST_CASE("a margin that was changed after the trials is not called declared before", "[cli]") {
  const Workspace workspace(knob_study("100, 200", ", margin: 2%"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK_THAT(report_of(workspace), Contains("the margin was declared before the data"));

  change(workspace, knob_study("100, 200", ", margin: 5%"));

  const std::string report = report_of(workspace);
  CHECK_THAT(report, !Contains("declared before the data"));
  CHECK_THAT(report,
             Contains("The analysis was changed after 10 of 10 attempts had run "
                      "(analysis.margin: 0.02 -\\> 0.05)"));
}

TEST_CASE("a cell that only retries brought to an end speaks for survivors", "[cli]") {
  const Workspace workspace(knob_study("100, 200", "", "flaky"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  CHECK_THAT(report_of(workspace), Contains("knob 200: 5 of 10 attempts (failed 5; 50.0 %)"));
  CHECK_THAT(findings(workspace), Contains("(survivors only: 5 of 10 attempts of"));
}

TEST_CASE("step times that a program prints in milliseconds are stored in seconds", "[cli]") {
  const std::string head =
      "version: 1\n"
      "study: demo\n"
      "workload: command\n"
      "command: [sh, -c, \"for i in 1 2 3 4; do echo took {knob}.$i; done\"]\n"
      "axes: {knob: [8, 16]}\n"
      "steps: {warmup: 1, measured: 3}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 3}\n"
      "extract: [{metric: step_time_s, regex: 'took ([0-9.]+)', unit: ";
  const Workspace workspace(head + "ms}]\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);

  // By hand: the mean of 8.2, 8.3, 8.4 ms.
  CHECK(query_csv(workspace,
                  "SELECT DISTINCT round(step_time_s_mean, 9) AS s FROM trials WHERE label = "
                  "'knob=8'") == "s\n0.0083\n");
  CHECK(query_csv(workspace,
                  "SELECT round(step_time_s, 9) AS s FROM results WHERE label = 'knob=8' AND "
                  "variant = 'all'") == "s\n0.0083\n");

  // Read again as microseconds, each trial counts once in what is planned by them: they are all
  // alike, where both readings of one would differ a thousandfold.
  write_file(workspace.study(), head + "us}]\n");
  const std::string stored = query_csv(workspace, "SELECT id, attempt, rules_hash FROM trial");
  const ProgramResult unasked = workspace.run({"extract", workspace.study()});
  CHECK(unasked.exit_code == 2);
  CHECK_THAT(unasked.out, Contains(": step_time_s: mean 0.0083 s of 3 -> mean 8.3e-06 s of 3\n"));
  CHECK_THAT(unasked.err, Contains("pass --yes to confirm. Nothing was done"));
  CHECK(workspace.run({"extract", workspace.study(), "--check"}).exit_code == 4);
  CHECK(query_csv(workspace, "SELECT id, attempt, rules_hash FROM trial") == stored);
  // More trials and longer limits are no other trials.
  const ProgramResult again = workspace.run({"extract",
                                             workspace.study(),
                                             "--yes",
                                             "--set",
                                             "trials.count=4",
                                             "--set",
                                             "limits.timeout=99s"});
  REQUIRE(again.exit_code == 0);
  CHECK(workspace.run({"extract", workspace.study(), "--check"}).exit_code == 0);
  CHECK_THAT(again.out,
             Contains(": step_time_s: mean 0.0083 s of 3 -> mean 8.3e-06 s of 3\ntrial "));
  CHECK_THAT(workspace.run({"plan", workspace.study(), "--format", "json"}).out,
             Contains("\"cv\": null"));

  write_file(workspace.study(), head + "steps}]\n");
  const ProgramResult refused = workspace.run({"validate", workspace.study()});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("is \"steps\"; step_time_s is a time: write the unit"));
}

// The first rule misses what knob 16 prints; knob 32 fails whatever is read.
std::string worded_study(const std::string& rule, int trials) {
  return "version: 1\n"
         "study: demo\n"
         "workload: command\n"
         "command: [sh, -c, \"test {knob} != 32 || exit 7; test {knob} = 16 && word=needed; "
         "for i in 1 2 3 4; do echo ${word:-took} {knob}.$i ms; done\"]\n"
         "axes: {knob: [32, 8, 16]}\n"
         "order: {seed: 1}\n"  // of the first run knob 16 fails last
         "steps: {warmup: 1, measured: 3}\n"
         "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: " +
         std::to_string(trials) +
         "}\n"
         "limits: {retries: 0}\n"
         "extract: [{metric: step_time_s, unit: ms, regex: '" +
         rule + " ([0-9.]+) ms'}]\n";
}

TEST_CASE("trials that one mended rule read, before and after, are not called mixed", "[cli]") {
  const Workspace workspace(worded_study("took", 2));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);

  write_file(workspace.study(), worded_study("(?:took|needed)", 2));
  CHECK_THAT(workspace.run({"extract", workspace.study(), "--yes"}).err,
             Contains("2 of 4 trials changed"));
  CHECK_THAT(workspace.run({"status"}).out,
             Contains("last failure: trial ") && Contains("knob=32") && !Contains("knob=16"));
  write_file(workspace.study(), worded_study("(?:took|needed)", 4));
  workspace.run({"run", workspace.study()});

  REQUIRE(
      query_csv(workspace, "SELECT label, n FROM results WHERE variant = 'all' ORDER BY label") ==
      "label,n\nknob=16,4\nknob=32,0\nknob=8,4\n");
  CHECK_THAT(report_of(workspace), !Contains("mixed") && !Contains("changed_study"));

  // A rule that only the trials to come are read by.
  write_file(workspace.study(), worded_study("(?:took|needed) *", 5));
  workspace.run({"run", workspace.study(), "--accept-changes"});
  CHECK_THAT(report_of(workspace), Contains("mixed: the study was changed between trials"));
}

TEST_CASE("a study without a margin is refused, since no verdict could come of it", "[cli]") {
  const Workspace workspace(knob_study("100, 200", ", margin: 0%"));
  const ProgramResult refused = workspace.run({"run", workspace.study()});

  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("analysis.margin is 0%; it must be above 0%"));
}

TEST_CASE("results stay readable when a value they were measured with is allowed no longer",
          "[cli]") {
  const std::string text = scalestudy::test::study_text() + "parameters: {env.NCCL_ALGO: Ring}\n";
  const Workspace workspace(text);
  REQUIRE(workspace.run({"run", workspace.study(), "--set", "trials.count=2"}).exit_code == 0);
  std::string catalogue = read_file(SCALESTUDY_SOURCE_DIR "/data/environment.yaml");
  catalogue.erase(catalogue.find("Ring, "), std::string("Ring, ").size());
  std::filesystem::create_directories(workspace.file("share/data"));
  write_file(workspace.file("share/data/environment.yaml"), catalogue);
  const std::vector<std::string> later = {"SCALESTUDY_SHARE=" + workspace.file("share")};

  const ProgramResult refused = workspace.run({"validate", workspace.study()}, later);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("\"Ring\" is not one of Tree"));
  const ProgramResult reported = workspace.run({"report", "demo"}, later);
  INFO(reported.err);
  CHECK(reported.exit_code == 0);
}

TEST_CASE("a schema that is none, or refers to nothing, is named", "[cli]") {
  const Workspace workspace(scalestudy::test::study_text());
  std::filesystem::create_directories(workspace.file("share/data"));
  for (const char* schema : {"{", "[]", R"({"properties": {"steps": {"$ref": "#/nowhere"}}})"}) {
    write_file(workspace.file("share/data/study.schema.json"), schema);
    const ProgramResult refused = workspace.run({"validate", workspace.study()},
                                                {"SCALESTUDY_SHARE=" + workspace.file("share")});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("study.schema.json: not the schema of study files"));
  }
}

TEST_CASE("logs read again beside a trial that was excluded by hand fail nothing", "[cli]") {
  const Workspace workspace(took_study(2));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"exclude", "1", "a backup ran beside it"}).exit_code == 0);

  const ProgramResult read =
      workspace.run({"extract", workspace.study(), "--set", "extract.0.unit=us", "--yes"});

  INFO(read.err);
  CHECK(read.exit_code == 0);
  CHECK_THAT(read.err, Contains("1 of 2 trials changed, 1 left alone"));
}

TEST_CASE("an excluded trial that the current rules make fail does not count again", "[cli]") {
  const Workspace workspace(took_study(3));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"exclude", "1", "a backup"}).exit_code == 0);
  REQUIRE(
      workspace
          .run({"extract", workspace.study(), "--set", "extract.0.regex=lasted (\\S+)", "--yes"})
          .exit_code == 3);

  const ProgramResult undone = workspace.run({"exclude", "1", "--undo", "it ran later"});

  CHECK(undone.exit_code == 3);
  CHECK_THAT(undone.err, Contains("trial 1 counts as failed; next: ") && !Contains("again; next"));
}

TEST_CASE("an excluded trial that counts again is read by the rules corrected meanwhile", "[cli]") {
  const Workspace workspace(took_study(3));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"exclude", "1", "a backup"}).exit_code == 0);
  REQUIRE(workspace.run({"exclude", "2", "a backup"}).exit_code == 0);
  REQUIRE(workspace.run({"extract", workspace.study(), "--set", "extract.0.unit=us", "--yes"})
              .exit_code == 0);

  const ProgramResult undone = workspace.run({"exclude", "1", "--undo", "it ran later"});

  INFO(undone.err);
  CHECK(undone.exit_code == 0);
  CHECK_THAT(undone.err,
             Contains("trial 1 was read again by the study's current rules: step_time_s: mean "
                      "0.008 s of 1 -> mean 8e-06 s of 1\n"));
  CHECK(query_row(workspace,
                  "SELECT count(*), CAST(round(min(step_time_s_mean) * 1e9) AS INTEGER), "
                  "CAST(round(max(step_time_s_mean) * 1e9) AS INTEGER) FROM trials "
                  "WHERE state = 'ok' AND NOT superseded") == "2,8000,8000\n");
  const ProgramResult later = workspace.run({"exclude", "1", "again"});
  CHECK(later.exit_code == 2);
  CHECK_THAT(later.err,
             Contains("trial 1 is in no result, because a later attempt took its place"));

  std::filesystem::remove_all(workspace.results() + "/logs");
  CHECK_THAT(workspace.run({"exclude", "2", "--undo", "it ran later"}).err,
             Contains("trial 2 was not read again by the study's current rules: its logs are "
                      "gone\n"));
}
