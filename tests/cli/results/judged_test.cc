// Black box: which cells `compare` and `history` judge, and by what.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using Catch::EndsWith;
using scalestudy::test::ProgramResult;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

// Five sessions of trials 1 to 5, with steps of 20.11 to 20.53 ms, 20.32 in the mean; or 30.32.
TEST_CASE("compare takes the larger batch for what it is, and says so", "[cli]") {
  const auto text = [](const std::string& level, const std::string& parameters) {
    return "version: 1\nstudy: demo\nworkload: command\n"
           "command: [sh, -c, 'for i in 1 2 3; do echo \"time " +
           level +
           ".$SCALESTUDY_TRIAL$i\"; done', '{size}']\n"
           "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
           "axes: {size: [1]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: "
           "none}\ntrials: {count: 1}\n" +
           parameters;
  };
  const Workspace small(text("20", "parameters: {batch_global: 64}\n"));
  const Workspace large(text("30", "parameters: {batch_global: 128}\n"));
  const Workspace unknown(text("30", ""));
  for (const Workspace* workspace : {&small, &large, &unknown}) {
    run_sessions(*workspace, 1, 5);
  }
  const std::string of_small = small.results() + ":demo";
  const std::string said =
      "The work of a step differs, so the speedup compares throughput, not step times.\n";

  const ProgramResult gate = large.run({"compare", of_small, "demo", "--gate"});
  CHECK(gate.exit_code == 0);
  CHECK_THAT(gate.out,
             Contains("\n- parameters.batch_global: 64 -> 128\n\n" + said + "\ncell ") &&
                 Contains("  20.32   30.32   1.340x [1.327, 1.354]") && Contains("faster\n"));
  CHECK(small.run({"compare", large.results() + ":demo", "demo", "--gate"}).exit_code == 4);
  CHECK(large.run({"compare", of_small, "demo", "--format", "csv"}).err == said);
  const nlohmann::json cell = nlohmann::json::parse(
      large.run({"compare", of_small, "demo", "--format", "json"}).out)["cells"][0];
  CHECK(cell["speedup"].get<double>() == Approx(2.0 * 20.32 / 30.32));

  const ProgramResult undeclared = unknown.run({"compare", of_small, "demo", "--gate"});
  CHECK(undeclared.exit_code == 5);
  CHECK_THAT(undeclared.out,
             Contains("no performance claim (work of a step not declared)\n") && !Contains(said));
}

TEST_CASE("history judges no oversubscribed cell, and the gate goes by the others", "[cli]") {
  const Workspace workspace;
  const auto text = [&](const std::string& devices) {
    return "version: 1\nstudy: demo\nworkload: command\n"
           "command: [sh, -c, 'for i in 1 2 3; do echo \"time $(cat " +
           workspace.file("level") +
           ").$SCALESTUDY_TRIAL$i\"; done', '{devices}']\n"
           "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
           "axes: {devices: [" +
           devices +
           "]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: none}\n"
           "trials: {count: 1}\n";
  };
  write_file(workspace.study(), text("1, 4096"));
  write_file(workspace.file("level"), "20");
  run_sessions(workspace, 1, 5);
  write_file(workspace.file("level"), "26");
  run_sessions(workspace, 6, 10);
  const std::string untold = "No performance claim (oversubscribed): 4096 devices.\n";

  const ProgramResult gate = workspace.run({"history", "demo", "--gate"});
  CHECK(gate.exit_code == 4);
  CHECK_THAT(gate.out,
             Contains("\n1 device ") && !Contains("\n4096 devices") && EndsWith("\n" + untold));

  // Without the other cell there is nothing to judge.
  write_file(workspace.study(), text("4096"));
  run_sessions(workspace, 11, 11);
  const ProgramResult alone = workspace.run({"history", "demo", "--gate"});
  CHECK(alone.exit_code == 5);
  CHECK(alone.out == untold);
  const ProgramResult csv = workspace.run({"history", "demo", "--format", "csv"});
  CHECK(csv.err == untold);
  CHECK_THAT(csv.out, EndsWith(",devices=4096,,,,,,,,no performance claim (oversubscribed),\n"));
}
