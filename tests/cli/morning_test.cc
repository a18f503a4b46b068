// Black box: what people see of a run while it goes on, and on the morning after.
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;

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
