// Black box: published figures from a file to the store and into a report.
#include <filesystem>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::import_theirs;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::read_pages;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

const std::string kNccl = SCALESTUDY_SOURCE_DIR "/tests/import/data/nccl_all_reduce.json";

// Somebody's throughput under the conditions of a cell of the study "demo".
ProgramResult import_speed(const Workspace& workspace, const std::string& speed) {
  return import_theirs(workspace, "2,1000," + speed, {"--study", "demo"});
}

std::string count_figures(const Workspace& workspace) {
  return workspace.run({"query", "SELECT count(*) AS n FROM published_figure", "--format", "csv"})
      .out;
}

}  // namespace

TEST_CASE("an imported figure stands beside the measured one in the report", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const ProgramResult imported = import_speed(workspace, "12345");
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  CHECK_THAT(imported.out, Contains("theirs.csv: csv, 1 figure of 1 table: stored"));
  CHECK_THAT(imported.err, Contains("--results " + workspace.results() + " report demo"));

  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);

  const std::string page = read_pages(workspace.results() + "/reports/demo/report.md");
  CHECK_THAT(page, Contains("## Published figures") && Contains("| 12345 samples/s |"));
  CHECK_THAT(page, Contains("2 devices, batch 1000 |"));
  CHECK_THAT(workspace.run({"query", "published"}).out, Contains("12345"));
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);
}

TEST_CASE("an assumption is stored with the figures and named by the report", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  write_file(workspace.file("theirs.csv"), "batch,speed\n1000,12345\n");
  const auto import_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"import",
                                          workspace.file("theirs.csv"),
                                          "--study",
                                          "demo",
                                          "--map",
                                          "batch=batch_global",
                                          "--map",
                                          "speed=throughput:samples/s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace.run(arguments);
  };
  REQUIRE(import_with({}).exit_code == 0);

  const ProgramResult assuming = import_with({"--assume", "devices=2"});

  CHECK_THAT(assuming.out, Contains("replaced an earlier import"));
  CHECK_THAT(assuming.err, Contains("assumed for 1 figure: devices=2"));
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(read_pages(workspace.results() + "/reports/demo/report.md"),
             Contains("| Assumed |") && Contains("| 2 devices | 5 | as printed |"));
  CHECK_THAT(workspace
                 .run({"query",
                       "SELECT conditions, assumed, measured_assuming, measured_metric "
                       "FROM published",
                       "--format",
                       "json"})
                 .out,
             Contains("batch_global") && Contains("throughput") && Contains("devices"));
  CHECK(import_with({"--assume", "table_9/devices=2"}).exit_code == 2);
  const ProgramResult misspelt = import_with({"--assume", "devics=2"});
  CHECK(misspelt.exit_code == 2);
  CHECK_THAT(misspelt.err,
             Contains("--assume devics=2: neither the figures nor the study have a condition "
                      "devics (did you mean \"devices\"?)"));
  CHECK(import_with({"--assume", "baseline.devices=1"}).exit_code == 0);
}

TEST_CASE("importing again changes nothing, a changed file replaces its figures", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);
  REQUIRE(import_speed(workspace, "1").exit_code == 0);

  CHECK_THAT(import_speed(workspace, "1").out, Contains("unchanged"));
  CHECK_THAT(import_speed(workspace, "2").out, Contains("replaced"));

  CHECK(workspace.run({"query", "SELECT printed FROM published", "--format", "csv"}).out ==
        "printed\n2\n");
}

TEST_CASE("what cannot be read imports nothing and makes no store", "[cli]") {
  const Workspace workspace;
  write_file(workspace.file("cut.json"), read_file(kNccl).substr(0, 2000));

  const ProgramResult cut = workspace.run({"import", workspace.file("cut.json")});

  CHECK(cut.exit_code == 2);
  CHECK_THAT(cut.err, Contains("cut.json:1:2001: the JSON ends here, before it is complete"));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
}

TEST_CASE("of a folder of datasets all are imported or none", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"import", kNccl}).exit_code == 0);
  const std::string before = count_figures(workspace);
  const std::filesystem::path folder = workspace.file("datasets");
  std::filesystem::create_directories(folder / "b");
  std::filesystem::copy(SCALESTUDY_SOURCE_DIR "/data/published/mlp-4096-ddp", folder / "a");
  write_file(folder / "b" / "dataset.yaml", "version: 7\n");

  CHECK(workspace.run({"import", folder.string()}).exit_code == 2);
  CHECK(count_figures(workspace) == before);

  std::filesystem::remove_all(folder / "b");
  CHECK(workspace.run({"import", folder.string()}).exit_code == 0);
  CHECK(count_figures(workspace) != before);
}

TEST_CASE("a study that is not in the store is refused with those that are", "[cli]") {
  const Workspace workspace;
  const ProgramResult early = workspace.run({"import", kNccl, "--study", "demo"});
  CHECK(early.exit_code == 2);
  CHECK_THAT(early.err, Contains("has no studies yet. Leave --study out: targets of a study"));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);

  const ProgramResult result = workspace.run({"import", kNccl, "--study", "dem"});

  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("is named dem ") && Contains("demo"));
  CHECK(count_figures(workspace) == "n\n0\n");
}

TEST_CASE("a kind that import does not know is refused", "[cli]") {
  const Workspace workspace;

  const ProgramResult result = workspace.run({"import", kNccl, "--as", "excel"});

  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("excel") && Contains("import --help"));
}
