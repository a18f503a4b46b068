// Studies that come with the program, each run in a short form from its file to a report: a family
// of knobs each.
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace scalestudy;
using test::ProgramResult;
using test::Workspace;

namespace {

// The rows that a query answers with.
std::string rows(const Workspace& workspace, const std::string& sql) {
  const ProgramResult result = workspace.run({"query", "--format", "csv", sql});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return result.out.substr(result.out.find('\n') + 1);
}

struct Short {
  std::string study;
  std::vector<std::string> settings;
  int cells;
  std::string metric;  // that the study is about
};

// One trial of each cell, which is ok, and a report. Ends the test as skipped where the machine
// cannot do what the study asks for.
void check_runs(const Workspace& workspace, const Short& given) {
  std::vector<std::string> arguments = {"run",
                                        SCALESTUDY_SOURCE_DIR "/studies/" + given.study + ".yaml"};
  std::vector<std::string> settings = {"trials={count: 1}",
                                       "validity={calibration: none, foreign_load: 100%}"};
  settings.insert(settings.end(), given.settings.begin(), given.settings.end());
  for (const std::string& setting : settings) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  const ProgramResult run = workspace.run(arguments);
  INFO(given.study << ": " << run.err);
  REQUIRE((run.exit_code == 0 || run.exit_code == 3));
  const std::string reason =
      rows(workspace, "SELECT reason FROM trials WHERE state = 'unsupported' LIMIT 1");
  if (!reason.empty()) {
    test::skip(reason);
  }
  CHECK(run.exit_code == 0);
  CHECK(rows(workspace,
             "SELECT state, count(*) FROM trials WHERE state <> 'excluded' GROUP BY state") ==
        "ok," + std::to_string(given.cells) + "\n");
  CHECK(std::stoi(rows(workspace,
                       "SELECT count(*) FROM samples WHERE metric = '" + given.metric +
                           "' AND value > 0")) > 0);
  const ProgramResult report = workspace.run({"report", given.study});
  INFO(report.err);
  CHECK(report.exit_code == 0);
  CHECK(test::read_file(workspace.results() + "/reports/" + given.study + "/report.md").size() >
        1000);
}

const std::string kFewSteps = "steps={warmup: 1, measured: 4}";

}  // namespace

TEST_CASE("a study of each family of knobs runs from its file to a report", "[cli][mpi][slow]") {
  const Short given = GENERATE(
      Short{"optimisations",
            {"steps={warmup: 5, measured: 5}",
             "parameters.model=mlp-258k",
             "parameters.bucket_mb=0.1",
             "axes.overlap=[none]",
             "axes.clip_norm=[0]"},
            12,
            "exposed_communication_time_s"},
      Short{"mpi-algorithms",
            {kFewSteps,
             "axes.message_bytes=[16KiB]",
             "axes={message_bytes: [8, 16KiB], env.OMPI_MCA_coll_tuned_allreduce_algorithm: "
             "[default, ring]}"},
            4,
            "step_time_s"},
      Short{"mpi-protocols", {kFewSteps, "axes.message_bytes=[8KiB]"}, 6, "step_time_s"},
      Short{"memory-techniques",
            {kFewSteps,
             "parameters.model.layers=2",
             "parameters.model.width=32",
             "parameters.model.heads=2",
             "axes.offload=[none]"},
            12,
            "communication_time_s"},
      Short{"pipeline",
            {kFewSteps, "axes.devices=[1, 2]", "axes.accumulation_steps=[2]"},
            2,
            "pipeline_bubble"},
      Short{"stragglers", {kFewSteps, "axes.straggler_ms=[0, 20]"}, 2, "collective_skew_time_s"},
      Short{"unequal-devices", {kFewSteps}, 3, "collective_skew_time_s"},
      Short{"input-pipeline",
            {kFewSteps, "parameters.model=mlp-258k", "axes.devices=[1]", "controls=[]"},
            3,
            "data_time_s"},
      Short{"emulated-devices",
            {kFewSteps, "controls=[]", "axes.devices=[1, 16]"},
            2,
            "exposed_communication_time_s"},
      Short{"device-pairs", {kFewSteps, "axes.message_bytes=[8]"}, 2, "step_time_s"},
      Short{"accuracy-neutrality",
            {"parameters.train_samples=1024",
             "parameters.held_out_samples=512",
             "parameters.epochs=2",
             "axes.lr_scale=[none, linear]"},
            3,
            "accuracy"});
  check_runs(Workspace(), given);
}

TEST_CASE("a study of links of several rates runs from its file to a report", "[cli][mpi]") {
  check_runs(Workspace(),
             {"interconnect-tiers",
              {kFewSteps, "axes.interconnect.bandwidth=[none, 1Gbit]", "axes.batch_global=[256]"},
              3,
              "communication_time_s"});
}

// Of two nodes of two ranks, one is killed behind step 30, saved every 20; the save of step 40
// fails.
TEST_CASE("a study of failures on four ranks tells what each costs", "[cli][mpi][slow]") {
  const Workspace workspace;
  check_runs(workspace,
             {"checkpoint-recovery",
              {"steps={warmup: 2, measured: 58}",
               "parameters.devices=4",
               "parameters.virtual_node_ranks=2",
               "parameters.failure_rank=2",
               "parameters.failure_step=40",
               "axes.save_dir=[" + workspace.file("saves") + "]",
               "analysis.baseline={failure: none}",
               "axes.failure=[none, kill_node, enospc, eio]"},
              4,
              "recovery_time_s"});

  CHECK(rows(workspace,
             "SELECT axes ->> 'failure' AS failure, value FROM samples JOIN trials USING (trial) "
             "WHERE metric = 'lost_steps' ORDER BY failure") == "eio,20\nenospc,20\nkill_node,0\n");
  CHECK(rows(workspace,
             "SELECT count(*), max(different) FROM (SELECT count(DISTINCT value) > 1 AS different "
             "FROM samples WHERE metric = 'loss' GROUP BY step)") == "60,0\n");
  CHECK(std::filesystem::is_empty(workspace.file("saves")));
}
