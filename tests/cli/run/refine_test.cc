// A search for a break-even, from the file to the report.
#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

namespace scalestudy::test {
namespace {

using Catch::Matchers::Contains;

// trainer.sh takes batch * 1e-4 s with one worker and batch / 2 * 1e-4 + 1e-3 s with two: the same
// at batch 20.
std::string refined_text(const std::string& refine) {
  std::string text =
      study_text("-",
                 "  thresholds: [{metric: speedup, level: 1.0, along: batch_global, refine: {" +
                     refine + "}}]\n");
  text.replace(text.find("[100, 1000]"), 11, "[4, 8, 16, 32, 64]");
  text.replace(text.find("count: 5"), 8, "count: 8");
  return over_workers(text);
}

// What was added, in its order, with its blocks and the trials that ran there.
std::string additions(const Workspace& workspace) {
  return query_csv(workspace,
                   "SELECT cell, axis, value, first_block, reason FROM addition ORDER BY id") +
         query_csv(workspace,
                   "SELECT label, block, state FROM trials WHERE block >= 8 ORDER BY 1, 2");
}

TEST_CASE("a run adds batches inside the bracket until the break-even is known", "[cli]") {
  const Workspace workspace(refined_text("to: 5%"));

  const ProgramResult plan = workspace.run({"plan", workspace.study()});
  CHECK_THAT(plan.err, Contains("refine may add up to 8 cells of 8 trials"));
  const ProgramResult run = workspace.run({"run", workspace.study()});
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("adds batch_global=23: the bracket was [16, 32]"));

  // The truth is 20, in an interval of at most 5 %, between tested values.
  CHECK(query_csv(workspace,
                  "SELECT lo < 20 AND 20 < hi AND hi / lo < 1.0513 AND bracket_lo >= 16 AND "
                  "bracket_hi <= 24 AS is_found FROM thresholds") == "is_found\n1\n");
  // Each added batch has a base in the same blocks of the same session.
  CHECK(query_csv(
            workspace,
            "SELECT count(*) % 2 = 0 AND count(*) >= 2 AS is_paired, min(n) = 8 AND max(n) = 8 "
            "AS has_all FROM (SELECT count(*) AS n FROM trials WHERE block >= 8 AND state = 'ok' "
            "GROUP BY cell)") == "is_paired,has_all\n1,1\n");
  CHECK(query_csv(workspace, "SELECT DISTINCT session FROM trials") == "session\n1\n");
  const std::string known = additions(workspace);
  const int added = std::stoi(query_row(workspace, "SELECT count(*) FROM addition"));
  CHECK_THAT(workspace.run({"plan", workspace.study()}).err,
             Contains("demo: none of its " + std::to_string(8 * (10 + added)) +
                      " trials is left, 8 of each of " + std::to_string(10 + added) + " cells") &&
                 Contains("may add up to another " + std::to_string(8 - added) + " cells"));
  const ProgramResult again = workspace.run({"run", workspace.study()});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, !Contains("adds"));
  CHECK(additions(workspace) == known);

  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(
      read_pages(workspace.results() + "/reports/demo/report.md"),
      Contains("23 was tested because the bracket was [16, 32]") && Contains("(±2.5 % asked for)"));
  // Another width is, like more trials, no other study.
  const ProgramResult narrower =
      workspace.run({"run", workspace.study(), "--set", "analysis.thresholds.0.refine.to=4.9%"});
  INFO(narrower.err);  // another width is, like more trials, no other study
  CHECK(narrower.exit_code == 0);
}

TEST_CASE("a search that is killed anywhere adds the same values when it goes on", "[cli][slow]") {
  const Workspace whole(refined_text("to: 1%, max_cells: 4"));
  REQUIRE(whole.run({"run", whole.study()}).exit_code == 0);
  REQUIRE(query_csv(whole, "SELECT count(*) AS n FROM addition") == "n\n4\n");
  const Workspace workspace(refined_text("to: 1%, max_cells: 4"));
  for (const int trials : {3, 82, 101}) {
    const pid_t pid = start_program(workspace.argv({"run", workspace.study()}),
                                    {},
                                    "/dev/null",
                                    workspace.file("out"),
                                    workspace.file("err"));
    const auto ended = [&] {
      const std::string count =
          query_csv(workspace, "SELECT count(*) AS n FROM trials WHERE state = 'ok'");
      return count.size() > 2 && std::strtol(count.c_str() + 2, nullptr, 10) >= trials;
    };
    REQUIRE(wait_until(ended, 60.0));
    kill(pid, SIGKILL);
    wait_for(pid);
    // The trial's supervisor has the lock until it has ended the trial.
    REQUIRE(wait_until(
        [&] {
          return workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0;
        },
        30.0));
  }
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK(additions(workspace) == additions(whole));
}

// What sbatch would start: two jobs, as the study and each addition have eight blocks, of five a
// job.
void run_jobs(const Workspace& workspace, int first) {
  for (const auto& [job, blocks] : {std::pair(first, 5), std::pair(first + 1, 3)}) {
    const int begin = 5 * (job - 1) + 1;
    const ProgramResult run =
        run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                     "--results",
                     workspace.results() + "/jobs/demo/job" + std::to_string(job),
                     "run",
                     "demo",
                     "--blocks",
                     std::to_string(begin) + "-" + std::to_string(begin + blocks - 1)},
                    {},
                    {});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
  }
  REQUIRE(workspace.run({"submit", "demo", "--gather"}).exit_code == 0);
}

TEST_CASE("submitted again once they are gathered, jobs are sent for what was added",
          "[cli][slow]") {
  const Workspace workspace(refined_text("to: 5%"));
  const std::vector<std::string> prepare{
      "submit", workspace.study(), "--prepare", "--blocks-per-job", "5"};
  REQUIRE(workspace.run(prepare).exit_code == 0);
  CHECK_THAT(workspace.run(prepare).err, Contains("jobs 1-2") && !Contains("adds"));
  run_jobs(workspace, 1);
  const auto look = [&] {
    return workspace.run({"submit", workspace.study(), "--dry-run", "--blocks-per-job", "5"});
  };
  for (int i = 0; i < 2; ++i) {  // to look adds nothing
    const ProgramResult next = look();
    CHECK_THAT(next.err, Contains("adds batch_global="));
    CHECK_THAT(next.out, Contains("--array=3-4"));
  }

  int jobs = 2;
  for (ProgramResult more = workspace.run(prepare); jobs < 12; more = workspace.run(prepare)) {
    INFO(more.err);
    REQUIRE(more.exit_code == 0);
    if (more.err.find("every job is done") != std::string::npos) {
      break;
    }
    CHECK_THAT(more.err,
               Contains("adds batch_global=") &&
                   Contains("jobs " + std::to_string(jobs + 1) + "-" + std::to_string(jobs + 2)));
    run_jobs(workspace, jobs + 1);
    jobs += 2;
  }

  CHECK(jobs > 2);
  CHECK(jobs < 12);
  const ProgramResult dry = look();
  CHECK(dry.exit_code == 0);
  CHECK(dry.out.empty());  // no script of no job
  CHECK_THAT(dry.err, Contains("every job is done"));
  CHECK(query_csv(workspace,
                  "SELECT lo < 20 AND 20 < hi AND hi / lo < 1.0513 AS is_found FROM thresholds") ==
        "is_found\n1\n");
  CHECK(query_csv(
            workspace,
            "SELECT count(*) >= 2 AS has_some, min(n) = 8 AND max(n) = 8 AS has_all FROM (SELECT "
            "count(*) AS n FROM trials WHERE block >= 10 AND state = 'ok' GROUP BY cell, block / "
            "10)") == "has_some,has_all\n1,1\n");
}

TEST_CASE("a search that cannot be as narrow says how far it came and what the rest takes",
          "[cli][slow]") {
  const Workspace workspace(refined_text("to: 0.1%, max_cells: 4, grid: 4"));

  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const std::string finding = query_csv(workspace, "SELECT finding FROM thresholds");
  CHECK_THAT(finding, Contains("(±0.05 % asked for)"));
  CHECK_THAT(finding, Contains("±0.05 % takes about") && Contains("which now have 8 or more"));
}

}  // namespace
}  // namespace scalestudy::test
