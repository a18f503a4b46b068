// Black box: a run ends with the answer, what to look at, and what to do next.
#include "harness/text/wrap.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using scalestudy::test::lines_of;
using scalestudy::test::on_terminal;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::report_of;
using scalestudy::test::run_program;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// The lines of a Markdown page that begin with "- **", as a terminal shows them.
std::vector<std::string> answers_of(const std::string& page) {
  std::vector<std::string> answers;
  for (std::string line : lines_of(page.substr(0, page.find("How far to trust this")))) {
    if (line.starts_with("- **")) {
      std::erase(line, '*');
      std::erase(line, '\\');
      answers.push_back(line.substr(2));
    }
  }
  return answers;
}

std::string call(const Workspace& workspace, const std::string& rest) {
  return "scalestudy --results " + workspace.results() + " " + rest;
}

}  // namespace

TEST_CASE("a run ends with the answers, the table and the trust of its report", "[cli]") {
  const Workspace workspace;
  const ProgramResult run = workspace.run({"run", workspace.study()});

  REQUIRE(run.exit_code == 0);
  const std::vector<std::string> answers = answers_of(report_of(workspace));
  REQUIRE_FALSE(answers.empty());
  for (const std::string& answer : answers) {
    CHECK_THAT(run.out, Contains("\n" + answer + "\n"));
  }
  CHECK_THAT(run.out, Contains("1 device (ms)  2 devices (ms) ") && Contains("Speedup (ratio)"));
  CHECK_THAT(run.out, Contains("95 % confidence intervals") && Contains("\nTrust: "));
  CHECK_THAT(run.out, Contains("20 of 20 trials ok, 5 per cell"));
  CHECK_THAT(run.err, EndsWith("\nnext: " + call(workspace, "report demo\n")));
}

TEST_CASE("a run without an answer yet says how to go on in its own results folder", "[cli]") {
  const Workspace workspace;

  const ProgramResult run = workspace.run({"run", workspace.study(), "--max-trials", "1"});

  CHECK_THAT(
      run.out,
      Contains("A comparison needs two of each. To continue: " + call(workspace, "run demo\n")));
}

TEST_CASE("a study from standard input goes on by its name", "[cli]") {
  const Workspace workspace;

  const ProgramResult run =
      workspace.run({"run", "-", "--set", "limits.max_time=1us"}, {}, study_text());

  CHECK(run.exit_code == 130);
  CHECK_THAT(run.err, EndsWith("`" + call(workspace, "run demo") + "` continues from here\n"));
}

TEST_CASE("a run with fewer trials than there are counts those that its answer counts", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--set", "trials.count=2"}).exit_code == 0);

  const ProgramResult run = workspace.run({"run", workspace.study(), "--set", "trials.count=1"});

  CHECK_THAT(run.err, Contains("demo: 8 ok\n"));
  CHECK_THAT(run.out, Contains("8 of 8 trials ok"));
}

TEST_CASE("a run without a trial that ended ok has no answer and recommends no report", "[cli]") {
  const Workspace workspace(study_text("fail"));
  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 3);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Contains("look first at: ") && !Contains(" report demo"));
  CHECK_THAT(run.err,
             Contains("next: fix the cause, then `" +
                      call(workspace, "run " + workspace.study() + " --retry-failed` runs ")));

  const Workspace quiet(study_text("fail"));
  const ProgramResult failed = quiet.run({"run", quiet.study(), "--quiet"});
  CHECK(failed.exit_code == 3);
  CHECK_THAT(failed.err, StartsWith("look first at: ") && !Contains("next: "));
}

// The first trial is tried again (trial 3), before the second one (trial 2) is tried once: its cell
// has failed alike three times by then.
TEST_CASE("the last of the trials to look at is the last that ran", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, exit 7]\n"
      "extract: [{metric: step_time_s, from: wall_time}]\nlimits: {retries: 1}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n");

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 3);
  CHECK_THAT(run.err,
             Contains("look first at: 2 trials of 1 cell failed: exit code 7 (the last: trial 2)"));
  CHECK_THAT(run.err, Contains("If the fix changes the study file, add --accept-changes."));
}

TEST_CASE("a run whose trials are all excluded by hand asks for no fix", "[cli]") {
  const Workspace workspace;
  scalestudy::test::write_file(
      workspace.study(),
      "version: 1\nstudy: demo\nworkload: command\ncommand: [echo, time 20]\n"
      "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)'}]\n"
      "steps: {warmup: 0, measured: 1}\nvalidity: {calibration: none}\ntrials: {count: 1}\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"exclude", "1", "a backup ran beside it"}).exit_code == 0);

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("demo: 1 invalid") && !Contains("fix the cause"));
  CHECK_THAT(run.err, EndsWith("\nnext: " + call(workspace, "report demo\n")));
}

TEST_CASE("the answer of a run that is not complete says so", "[cli]") {
  const Workspace workspace;
  const ProgramResult run = workspace.run({"run", workspace.study(), "--max-trials", "9"});

  CHECK_THAT(run.out, Contains("Interim: 11 of 20 trials still to run."));
  // Printed after graver warnings, such as that of a busy machine, which may leave no place for it.
  CHECK_THAT(query_csv(workspace, "SELECT finding FROM threats"),
             Contains("This is a look before the planned end: "));
  CHECK_THAT(run.out, EndsWith("/docs/how-to/warnings.md\n\n"));
}

TEST_CASE("a run that finds nothing left to do adds no session to what the answer rests on",
          "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult again = workspace.run({"run", workspace.study()});

  CHECK_THAT(again.out, Contains("20 of 20 trials ok, 5 per cell, 1 machine, 1 session"));
  CHECK(query_csv(workspace, "SELECT count(*) FROM session") == "count(*)\n2\n");
}

TEST_CASE("status says on a narrow terminal how to go on", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "9"}).exit_code == 0);

  CHECK_THAT(on_terminal(workspace, {"status"}, 40),
             Contains("11 left; `" + call(workspace, "run demo") + "` continues"));
}

TEST_CASE("an answer that cannot be written is told", "[cli]") {
  const Workspace workspace;
  const ProgramResult run = scalestudy::test::run_program({"sh",
                                                           "-c",
                                                           "exec \"$@\" > /dev/full",
                                                           "sh",
                                                           SCALESTUDY_TEST_BIN "/scalestudy",
                                                           "--results",
                                                           workspace.results(),
                                                           "run",
                                                           workspace.study()});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err,
             Contains("standard output cannot be written: No space left on device; the report has "
                      "the answer\n"));
}

TEST_CASE("what a run's end shows is recorded as a look at the results", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"run", workspace.study(), "--set", "trials.count=6"}).exit_code == 0);

  CHECK_THAT(query_csv(workspace, "SELECT finding FROM threats WHERE kind = 'sequential'"),
             Contains("(5 -> 6)") && Contains("Earlier results were printed after 20 trials."));
}

TEST_CASE("the answer fits the terminal: long lines are broken, and a row becomes a paragraph",
          "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const std::string wide = on_terminal(workspace, {"run", workspace.study()}, 200);
  CHECK_THAT(wide, Contains("1 device (ms)  2 devices (ms) ") && Contains("Speedup (ratio)"));
  const std::string narrow = on_terminal(workspace, {"run", workspace.study()}, 44);
  CHECK_THAT(narrow, Contains("\n1 device (ms)    ") && Contains("\nSpeedup (ratio)  "));
  const std::size_t begin = narrow.find("demo: 20 ok");
  for (const std::string& line : lines_of(narrow.substr(begin, narrow.find("next: ") - begin))) {
    CAPTURE(line);
    CHECK(scalestudy::display_width(line) <= 44);
  }
}

// The trial of block 1 fails in folder one and ends ok in folder two.
TEST_CASE("a failure that another part made good is told no more", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(),
             "version: 1\nstudy: demo\nworkload: command\ncommand: [test, -e, " +
                 workspace.file("good") +
                 "]\nextract: [{metric: step_time_s, from: wall_time}]\n"
                 "steps: {warmup: 0, measured: 1}\nvalidity: {calibration: none, foreign_load: "
                 "100%}\ntrials: {count: 2}\nlimits: {retries: 0}\n");
  const auto run_block = [&](const std::string& folder) {
    return run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                        "--results",
                        workspace.file(folder),
                        "run",
                        workspace.study(),
                        "--blocks",
                        "1"});
  };
  CHECK_THAT(run_block("one").err, Contains("look first at: 1 trial of 1 cell failed"));
  write_file(workspace.file("good"), "");
  REQUIRE(run_block("two").exit_code == 0);
  REQUIRE(workspace.run({"merge", workspace.file("one"), workspace.file("two")}).exit_code == 0);

  CHECK_THAT(workspace.run({"status"}).out, Contains("demo: ") && !Contains("last failure"));
  CHECK_THAT(workspace.run({"run", "demo"}).err, !Contains("look first at"));
  CHECK(query_csv(workspace, "SELECT state, count(*) AS n FROM trials GROUP BY 1 ORDER BY 1") ==
        "state,n\nfailed,1\nok,2\n");
}
