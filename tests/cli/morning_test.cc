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
