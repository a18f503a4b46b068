// Black box: what `init` writes, and that it is used as it stands.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

TEST_CASE("init writes a study that validates, and never overwrites by itself", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("new.yaml");
  CHECK(workspace.run({"init", path}).exit_code == 0);
  CHECK(workspace.run({"validate", path}).exit_code == 0);
  const ProgramResult again = workspace.run({"init", path});
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, Contains("--force"));
  const std::string text = read_file(path);
  CHECK_THAT(text, Contains("\nstudy: new "));  // as `report new` takes it
  std::string shipped = workspace.run({"init", "-"}).out;
  shipped.replace(shipped.find("my-study"), 8, "new");
  CHECK(text == shipped);
  const std::string odd = workspace.file("\xc3\x9c My 2nd (Question).yaml");
  CHECK(workspace.run({"init", odd}).exit_code == 0);
  CHECK_THAT(read_file(odd), Contains("\nstudy: my-2nd-question "));
}

TEST_CASE("init --template writes a template whose report is the shipped one", "[cli]") {
  const Workspace workspace;
  const std::string folder = workspace.file("house");
  const std::vector<std::string> init = {"init", "--template", folder, "--partial", "threats"};
  REQUIRE(workspace.run(init).exit_code == 0);
  CHECK(read_file(folder + "/partials/threats.md") ==
        read_file(SCALESTUDY_SOURCE_DIR "/templates/partials/threats.md"));
  CHECK(workspace.run(init).exit_code == 2);  // it exists
  const ProgramResult unknown =
      workspace.run({"init", "--template", folder, "--force", "--partial", "threat"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("no partial has this name, did you mean threats?"));
  CHECK(workspace.run({"init", folder, "--partial", "threats"}).exit_code == 2);

  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const auto report = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"report", "demo", "--output", workspace.file("page")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(workspace.run(arguments).exit_code == 0);
    return read_file(workspace.file("page/report.md"));
  };
  const std::string shipped = report({});
  CHECK(report({"--template", folder}) == shipped);
  CHECK(report({"--template", "scaling"}) == shipped);
  CHECK_THAT(report({"--template", "projection"}), Contains("\n## Calculated\n"));
  const ProgramResult misspelt = workspace.run({"report", "demo", "--template", "projektion"});
  CHECK(misspelt.exit_code == 2);
  CHECK_THAT(misspelt.err,
             Contains("(did you mean projection?); these are scaling, second-device"));

  // Without a main template the folder changes parts of the study's own: words, and figures.
  std::filesystem::remove(folder + "/report.md");
  write_file(folder + "/partials/threats.md", "## Mind this\n");
  std::filesystem::create_directory(folder + "/figures");
  write_file(folder + "/figures/speedup.gp", "this is no gnuplot\n");
  const ProgramResult broken =
      workspace.run({"report", "demo", "--template", folder, "--output", workspace.file("page")});
  CHECK(broken.exit_code == 2);
  CHECK_THAT(broken.err, Contains(folder + "/figures/speedup.gp") && Contains("line 1"));
  std::filesystem::remove(folder + "/figures/speedup.gp");
  CHECK_THAT(report({"--template", folder}),
             Contains("## Mind this") && Contains("## How to reproduce") &&
                 !Contains("## Threats to validity"));
}
