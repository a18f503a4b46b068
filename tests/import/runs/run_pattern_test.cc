// Values in the names of logs.
#include "harness/import/runs/run_pattern.h"

#include <filesystem>

#include "harness/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

// Readings in which `devices` is 1, 2 or 16.
std::vector<NamedTexts> read(const std::string& pattern, const std::string& text) {
  return RunPattern(pattern, "--from")
      .readings(text, [](const std::string& name, const std::string& value) {
        return name != "devices" || value == "1" || value == "2" || value == "16";
      });
}

}  // namespace

TEST_CASE("placeholders of a name are its values", "[import]") {
  CHECK(read("logs/{devices}-{run}.log", "logs/2-a.log") ==
        std::vector{NamedTexts{{"devices", "2"}, {"run", "a"}}});
  CHECK(read("{devices}x{devices}.log", "2x2.log") == std::vector{NamedTexts{{"devices", "2"}}});
  CHECK(read("{devices}x{devices}.log", "2x1.log").empty());
  CHECK(read("slurm-*-{devices}.out", "slurm-4711-16.out") ==
        std::vector{NamedTexts{{"devices", "16"}}});
}

TEST_CASE("a placeholder does not reach into another folder", "[import]") {
  CHECK(read("{run}/{devices}.log", "a/b/2.log").empty());
}

TEST_CASE("the values that a study has tell how a name is to be read", "[import]") {
  // Not run 2-3 of device 1-..., as devices are 1, 2 or 16.
  CHECK(read("{devices}-{run}.log", "16-2-3.log") ==
        std::vector{NamedTexts{{"devices", "16"}, {"run", "2-3"}}});
  CHECK(read("{devices}-{run}.log", "3-1.log").empty());
  CHECK(read("n{devices}{run}.log", "n16.log") ==
        std::vector{NamedTexts{{"devices", "1"}, {"run", "6"}}});
  CHECK(read("n{devices}{run}.log", "n161.log").size() == 2);  // 1 and 61, or 16 and 1
}

TEST_CASE("a name with many blanks to fill does not take for ever", "[import]") {
  CHECK(read("{a}{b}{c}{d}{e}{f}{g}{h}x", std::string(200, 'y')).empty());
}

TEST_CASE("a brace without a name is refused", "[import]") {
  CHECK_THROWS_WITH(RunPattern("logs/{devices-.log", "--from"), Contains("{devices-.log"));
  CHECK_THROWS_WITH(RunPattern("logs/{}.log", "--from"), Contains("\"{}\" is not a placeholder"));
}

TEST_CASE("files are found in folders with values in their names", "[import]") {
  const test::TemporaryFolder folder;
  for (const char* name : {"1/a.log", "2/a.log", "2/b.txt", "2/deep/a.log"}) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    test::write_file(folder.file(name), "");
  }
  const std::string root = folder.path().string();

  CHECK(matching_files(root + "/{devices}/*.log") ==
        std::vector{root + "/1/a.log", root + "/2/a.log"});
  CHECK(matching_files(root + "/2/a.log") == std::vector{root + "/2/a.log"});
  CHECK(matching_files(root + "/3/*.log").empty());
}
