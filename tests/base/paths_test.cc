// Where the product's files are found.
#include "harness/base/paths.h"

#include <cstdlib>

#include "harness/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using scalestudy::Error;
using scalestudy::find_program;
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
                        Catch::Contains(SCALESTUDY_SOURCE_DIR "/no-such-file"));
  unsetenv("SCALESTUDY_SHARE");
}

TEST_CASE("a missing workload program says how to get it and where it is looked for", "[base]") {
  CHECK_THROWS_WITH(
      workload_program("no-such-workload"),
      Catch::StartsWith("scalestudy-no-such-workload not found. The Python package") &&
          Catch::Contains("Install the Debian package") && Catch::Contains("./dev build") &&
          Catch::Contains("/scalestudy-no-such-workload"));
}

TEST_CASE("a named folder of workloads is the only one that is looked in", "[base]") {
  setenv("SCALESTUDY_WORKLOADS", "/nowhere", 1);
  CHECK_THROWS_WITH(workload_program("train"),
                    Catch::Contains("/nowhere/scalestudy-train") &&
                        !Catch::Contains(scalestudy::executable_path().parent_path().string()));
  unsetenv("SCALESTUDY_WORKLOADS");
}

TEST_CASE("a program is what a shell would start", "[base]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string path = scalestudy::test::search_path();
  std::filesystem::create_directories(folder.file("first/tool"));
  std::filesystem::create_directories(folder.file("second"));
  scalestudy::test::write_file(folder.file("second/tool"), "#!/bin/sh\n");
  setenv("PATH", (folder.file("first") + ":" + folder.file("second")).c_str(), 1);

  CHECK_FALSE(find_program("tool"));
  std::filesystem::permissions(folder.file("second/tool"), std::filesystem::perms::owner_all);
  CHECK(find_program("tool") == folder.file("second/tool"));
  CHECK(find_program(folder.file("second/tool")) == folder.file("second/tool"));
  CHECK_FALSE(find_program(folder.file("first/tool")));
  CHECK_FALSE(find_program(""));

  setenv("PATH", path.c_str(), 1);
}

TEST_CASE("a folder whose name a file has is not made, and the error says why", "[base]") {
  const scalestudy::test::TemporaryFolder folder;
  scalestudy::test::write_file(folder.file("taken"), "");
  std::error_code error;

  CHECK_FALSE(scalestudy::create_private_folder(folder.file("taken"), error));

  CHECK(error == std::errc::not_a_directory);
}
