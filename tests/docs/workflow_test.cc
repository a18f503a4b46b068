// The workflow that docs/how-to/use-in-ci.md shows has the form that GitHub Actions reads.
#include <yaml-cpp/yaml.h>

#include "tests/support/catch.h"

TEST_CASE("the workflow for GitHub Actions has an event, a machine and steps", "[docs]") {
  const YAML::Node workflow =
      YAML::LoadFile(SCALESTUDY_SOURCE_DIR "/docs/how-to/use-in-ci/scalestudy.yml");

  CHECK(workflow["on"]);
  REQUIRE(workflow["jobs"].size() == 1);
  for (const auto& job : workflow["jobs"]) {
    CHECK(job.second["runs-on"]);
    REQUIRE(job.second["steps"].size() > 1);
    for (const YAML::Node& step : job.second["steps"]) {
      CHECK(step["uses"].IsDefined() != step["run"].IsDefined());  // each step does one of the two
    }
  }
}
