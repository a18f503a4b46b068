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
  CHECK(read("n{run}{devices}.log", "na1x2.log") ==
        std::vector{NamedTexts{{"devices", "2"}, {"run", "a1x"}}});
  CHECK(read("{devices}{run}x{devices}{block}.log", "2ax2bx2c.log").size() == 2);
}

TEST_CASE("a value never begins or ends within a number", "[import]") {
  const std::vector two{NamedTexts{{"devices", "2"}}};
  CHECK(read("gpus-{devices}*.txt", "gpus-12_a.txt").empty());  // 12 is not 1
  CHECK(read("gpus-{devices}*.txt", "gpus-1.5_a.txt").empty());
  CHECK(read("gpus-{devices}*.txt", "gpus-1,5_a.txt").empty());
  CHECK(read("*{devices}gpus.txt", "a12gpus.txt").empty());
  CHECK(read("*{devices}gpus.txt", "a1.2gpus.txt").empty());
  CHECK(read("n{devices}{run}.log", "n161.log").empty());
  CHECK(read("n{devices}{devices}.log", "n22.log").empty());
  CHECK(read("gpus-{devices}*.txt", "gpus-16_a.txt") == std::vector{NamedTexts{{"devices", "16"}}});

  // What is no number may follow, and literals say where a value ends.
  CHECK(read("gpus-{devices}*.txt", "gpus-2.txt") == two);
  CHECK(read("gpus-{devices}*.txt", "gpus-2x8.txt") == two);
  CHECK(read("gpus-{devices}*", "gpus-2.txt") == two);
  CHECK(read("*{devices}gpus.txt", "b032-2gpus.txt") == two);
  CHECK(read("{devices}.5.log", "2.5.log") == two);
  CHECK(read("{devices}4.log", "24.log") == two);
  CHECK(read("{devices}{run}.log", "2a1.log") ==
        std::vector{NamedTexts{{"devices", "2"}, {"run", "a1"}}});
}

TEST_CASE("a name matches also if only a divided number makes it", "[import]") {
  const RunPattern pattern("n{devices}{run}.log", "--from");
  CHECK(pattern.matches("n161.log"));  // so that an import can say what is wrong with it
  CHECK_FALSE(pattern.matches("n1.log"));
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
