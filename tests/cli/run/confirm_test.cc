// Black box: a setting of NCCL gets credit where NCCL's own log shows that it was applied.
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_row;
using scalestudy::test::skip_on_one_core;
using scalestudy::test::Workspace;

TEST_CASE("a setting that NCCL did not apply is caught and not credited", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [" SCALESTUDY_SOURCE_DIR
      "/tests/cli/nccl.sh]\n"
      "axes:\n"
      "  env.NCCL_ALGO: [default, Ring]\n"
      "  env.NCCL_PROTO: [default, Simple]\n"
      "extract: [{metric: step_time_s, regex: 'step ([0-9.]+) s', unit: s}]\n"
      "steps: {warmup: 1, measured: 5}\n"
      "trials: {count: 5}\n"
      "validity: {confirm: always, calibration: none, foreign_load: 100%}\n"
      "analysis: {baseline: {env.NCCL_ALGO: default, env.NCCL_PROTO: default}}\n");
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.err, Contains("shows what NCCL makes of its settings"));
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);

  const ProgramResult verdicts = workspace.run({"query",
                                                "SELECT label, verdict FROM speedups WHERE study = "
                                                "'demo' ORDER BY label",
                                                "--format",
                                                "csv"});
  INFO(verdicts.out << verdicts.err);
  CHECK_THAT(verdicts.out, Contains("env.NCCL_ALGO=Ring env.NCCL_PROTO=default,faster"));
  CHECK_THAT(verdicts.out,
             Contains("env.NCCL_ALGO=default env.NCCL_PROTO=Simple,"
                      "no performance claim (setting not applied)"));
  const std::string report =
      scalestudy::test::read_pages(workspace.results() + "/reports/demo/report.md");
  CHECK_THAT(report, Contains("env.NCCL_PROTO=Simple overridden"));
  CHECK_THAT(report, !Contains("env.NCCL_ALGO=Ring overridden"));
  const ProgramResult logged =
      workspace.run({"query", "SELECT DISTINCT text FROM log WHERE text LIKE 'NCCL_PROTO=%'"});
  CHECK_THAT(logged.out, Contains("NCCL_PROTO=Simple: overridden: AllReduce TREE LL"));
  std::string trial =
      query_row(workspace, "SELECT max(trial_id) FROM log WHERE text LIKE 'NCCL_PROTO=Simple%'");
  REQUIRE(trial.size() > 1);
  trial.pop_back();  // the end of the line
  CHECK_THAT(workspace.run({"show", trial}).out, Contains("NCCL_PROTO=Simple: overridden"));
}

TEST_CASE("what NCCL's log does not tell is read through our profiler plugin", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: plugin\nworkload: command\n"
      "command: [" SCALESTUDY_NCCL_HOST
      "]\n"
      "zip:\n"
      "- {env.NCCL_NTHREADS: default, env.NCCL_MAX_NCHANNELS: default}\n"
      "- {env.NCCL_NTHREADS: 256, env.NCCL_MAX_NCHANNELS: default}\n"
      "- {env.NCCL_NTHREADS: default, env.NCCL_MAX_NCHANNELS: 2}\n"
      "extract: [{metric: step_time_s, regex: 'step ([0-9.]+) s', unit: s}]\n"
      "steps: {warmup: 1, measured: 5}\n"
      "trials: {count: 5}\n"
      "validity: {confirm: always, calibration: none, foreign_load: 100%}\n"
      "analysis: {baseline: {env.NCCL_NTHREADS: default, env.NCCL_MAX_NCHANNELS: default}}\n");
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);  // no trial had the plugin: the program fails with one
  REQUIRE(workspace.run({"report", "plugin"}).exit_code == 0);

  const ProgramResult logged =
      workspace.run({"query", "SELECT DISTINCT text FROM log WHERE text LIKE 'NCCL_%'"});
  CHECK_THAT(logged.out,
             Contains("NCCL_NTHREADS=256: applied: AllReduce RING SIMPLE with 256 threads"));
  CHECK_THAT(logged.out, Contains("NCCL_MAX_NCHANNELS=2: overridden: operations of 4 channels"));
  const ProgramResult verdicts = workspace.run(
      {"query", "SELECT label, verdict FROM speedups ORDER BY label", "--format", "csv"});
  INFO(verdicts.out << verdicts.err);
  CHECK_THAT(verdicts.out, Contains("env.NCCL_MAX_NCHANNELS=default env.NCCL_NTHREADS=256,faster"));
  CHECK_THAT(verdicts.out,
             Contains("env.NCCL_MAX_NCHANNELS=2 env.NCCL_NTHREADS=default,"
                      "no performance claim (setting not applied)"));
}

TEST_CASE("an algorithm that Open MPI did not go by gets no credit", "[cli][mpi][slow]") {
  skip_on_one_core();
  const Workspace workspace(
      "version: 1\nstudy: tuned\nworkload: collective\n"
      "parameters: {operation: all_reduce, devices: 2, message_bytes: 1024}\n"
      "zip:\n"
      "- {env.OMPI_MCA_coll_tuned_use_dynamic_rules: default, "
      "env.OMPI_MCA_coll_tuned_allreduce_algorithm: default}\n"
      "- {env.OMPI_MCA_coll_tuned_use_dynamic_rules: default, "
      "env.OMPI_MCA_coll_tuned_allreduce_algorithm: recursive_doubling}\n"
      "- {env.OMPI_MCA_coll_tuned_use_dynamic_rules: \"1\", "
      "env.OMPI_MCA_coll_tuned_allreduce_algorithm: ring}\n"
      "steps: {warmup: 1, measured: 5}\n"
      "trials: {count: 3}\n"
      "validity: {calibration: none, foreign_load: 100%}\n"
      "analysis: {baseline: {env.OMPI_MCA_coll_tuned_use_dynamic_rules: default, "
      "env.OMPI_MCA_coll_tuned_allreduce_algorithm: default}}\n");
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(workspace.run({"report", "tuned"}).exit_code == 0);

  const auto count = [&](const std::string& condition) {
    const ProgramResult found = workspace.run(
        {"query", "SELECT count(*) AS n FROM speedups WHERE " + condition, "--format", "csv"});
    INFO(found.err);
    return found.out;
  };
  INFO(workspace.run({"query", "SELECT label, verdict, finding FROM speedups"}).out);
  const std::string none = "verdict = 'no performance claim (setting not applied)'";
  CHECK(count("label LIKE '%=recursive_doubling%' AND " + none +
              " AND finding LIKE '%=recursive_doubling overridden%'") == "n\n1\n");
  CHECK(count("label LIKE '%=ring%' AND verdict NOT LIKE '%no performance claim%'") == "n\n1\n");
}

TEST_CASE("a protocol of a transport that ranks do not use gets no credit", "[cli][mpi]") {
  const Workspace workspace(
      scalestudy::test::read_file(SCALESTUDY_SOURCE_DIR "/studies/mpi-protocols.yaml"));
  const ProgramResult run =
      workspace.run({"run",
                     workspace.study(),
                     "--set",
                     "axes.message_bytes=[8]",
                     "--set",
                     "analysis.thresholds=[]",
                     "--set",
                     "zip=[{env.OMPI_MCA_btl_tcp_eager_limit: default}, "
                     "{env.OMPI_MCA_btl_tcp_eager_limit: 1024}]",
                     "--set",
                     "analysis.baseline={env.OMPI_MCA_btl_tcp_eager_limit: default}",
                     "--set",
                     "trials.count=3",
                     "--set",
                     "validity={calibration: none, foreign_load: 100%}"});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(workspace.run({"report", "mpi-protocols"}).exit_code == 0);

  CHECK(workspace.run({"query", "SELECT verdict FROM speedups", "--format", "csv"}).out ==
        "verdict\nno performance claim (setting not applied)\n");
}

TEST_CASE("a setting that leaves no trace in NCCL's log gets no credit", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: traceless\nworkload: command\n"
      "command: [" SCALESTUDY_SOURCE_DIR
      "/tests/cli/nccl.sh]\n"
      "axes: {env.NCCL_BUFFSIZE: [default, 1048576]}\n"
      "extract: [{metric: step_time_s, regex: 'step ([0-9.]+) s', unit: s}]\n"
      "steps: {warmup: 1, measured: 5}\n"
      "trials: {count: 5}\n"
      "validity: {confirm: never, calibration: none, foreign_load: 100%}\n"
      "analysis: {baseline: {env.NCCL_BUFFSIZE: default}}\n");
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(workspace.run({"report", "traceless"}).exit_code == 0);

  CHECK(workspace.run({"query", "SELECT verdict FROM speedups", "--format", "csv"}).out ==
        "verdict\nno performance claim (setting unconfirmed)\n");
}
