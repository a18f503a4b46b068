// Black box: the studies and templates that `init` writes without a command.
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::lines_of;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::run_program;
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
  CHECK_THAT(text, Contains("\nstudy: new\n"));  // as `report new` takes it
  std::string shipped = workspace.run({"init", "-", "--kind", "train"}).out;
  shipped.replace(shipped.find("my-study"), 8, "new");
  CHECK(text == shipped);
  CHECK(workspace.run({"init", path, "--force", "--all"}).exit_code == 0);
  CHECK_THAT(read_file(path), Contains("# secret:"));
  CHECK(workspace.run({"validate", path}).exit_code == 0);
  const std::string odd = workspace.file("\xc3\x9c My 2nd (Question).yaml");
  CHECK(workspace.run({"init", odd}).exit_code == 0);
  CHECK_THAT(read_file(odd), Contains("\nstudy: my-2nd-question\n"));
}

TEST_CASE("a study file that cannot be written whole leaves nothing, or the one before", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("new.yaml");
  // As on a full disk: no file may grow beyond 512 bytes, or in some shells 1024.
  const auto init = [&](const std::string& more) {
    return run_program({"sh",
                        "-c",
                        "ulimit -f 1; exec \"$0\" init \"$1\" --all " + more,
                        SCALESTUDY_TEST_BIN "/scalestudy",
                        path});
  };

  const ProgramResult refused = init("");

  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains(path + ": cannot be written (File too large); free space"));
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_FALSE(std::filesystem::exists(path + ".unfinished"));
  write_file(path, "study: mine\n");
  CHECK(init("--force").exit_code == 2);
  CHECK(read_file(path) == "study: mine\n");
}

TEST_CASE("init --force writes where a link leads", "[cli]") {
  const Workspace workspace;
  write_file(workspace.file("target.yaml"), "study: old\n");
  std::filesystem::create_symlink("target.yaml", workspace.file("link.yaml"));

  REQUIRE(workspace.run({"init", workspace.file("link.yaml"), "--force"}).exit_code == 0);

  CHECK(std::filesystem::is_symlink(workspace.file("link.yaml")));
  CHECK_THAT(read_file(workspace.file("target.yaml")), Contains("\nstudy: link\n"));
}

TEST_CASE("init writes into a device, and does not replace it", "[cli]") {
  const Workspace workspace;
  const std::string pipe = workspace.file("pipe.yaml");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);

  const ProgramResult written =
      run_program({"sh",
                   "-c",
                   "timeout 20 cat <\"$1\" & \"$0\" init \"$1\" --force; wait",
                   SCALESTUDY_TEST_BIN "/scalestudy",
                   pipe});

  CHECK_THAT(written.out, Contains("\nstudy: pipe\n"));
  CHECK(std::filesystem::is_fifo(pipe));
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
    return scalestudy::test::read_pages(workspace.file("page/report.md"));
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

TEST_CASE("init writes a short study of each kind, which is valid as it stands", "[cli]") {
  const Workspace workspace;
  for (const std::string kind : {"command", "train", "collective", "search"}) {
    CAPTURE(kind);
    const std::string path = workspace.file(kind + ".yaml");
    CHECK(workspace.run({"init", path, "--kind", kind}).exit_code == 0);
    CHECK(lines_of(read_file(path)).size() <= 20);
    const ProgramResult valid = workspace.run({"validate", path});
    CHECK(valid.exit_code == 0);
    CHECK_THAT(valid.out, Contains("valid: study " + kind + ","));
  }
  const ProgramResult ran = workspace.run({"run", workspace.file("command.yaml"), "--check"});
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  CHECK(workspace.run({"init", workspace.file("x.yaml"), "--kind", "other"}).exit_code == 2);
  CHECK(workspace.run({"init", workspace.file("x.yaml"), "--kind", "train", "--all"}).exit_code ==
        2);
}
