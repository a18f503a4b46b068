// Where the product's files are found.
#include "harness/base/paths.h"

#include <cstdlib>

#include "harness/base/error.h"
#include "tests/support/catch.h"

using scalestudy::Error;
using scalestudy::shared_file;
using scalestudy::workload_program;

TEST_CASE("a build tree finds its data in the source tree", "[base]") {
  CHECK(shared_file("CMakeLists.txt") ==
        std::filesystem::path(SCALESTUDY_SOURCE_DIR) / "CMakeLists.txt");
}

TEST_CASE("a missing file names every place that was looked at", "[base]") {
  setenv("SCALESTUDY_SHARE", "/nowhere/share", 1);
  CHECK_THROWS_WITH(shared_file("no-such-file"),
                    Catch::Contains("/nowhere/share/no-such-file") &&
                        Catch::Contains("share/scalestudy/no-such-file") &&
                        Catch::Contains(std::string(SCALESTUDY_SOURCE_DIR) + "/no-such-file"));
  unsetenv("SCALESTUDY_SHARE");
}

TEST_CASE("a missing workload program says how to build it", "[base]") {
  CHECK_THROWS_WITH(
      workload_program("no-such-workload"),
      Catch::Contains("scalestudy-no-such-workload") && Catch::Contains("./dev build"));
}

TEST_CASE("a named folder of workloads is the only one that is looked in", "[base]") {
  setenv("SCALESTUDY_WORKLOADS", "/nowhere", 1);
  CHECK_THROWS_WITH(workload_program("train"),
                    Catch::Contains("/nowhere/scalestudy-train") &&
                        !Catch::Contains(scalestudy::executable_path().parent_path().string()));
  unsetenv("SCALESTUDY_WORKLOADS");
}
