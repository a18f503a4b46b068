// Options of a command line, and the variables that stand for them.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using Catch::StartsWith;
using scalestudy::test::ProgramResult;
using scalestudy::test::Workspace;

TEST_CASE("a home folder behind an = is the user's, as behind a space", "[cli]") {
  const auto told = [](const std::vector<std::string>& words) {
    std::vector<std::string> argv{SCALESTUDY_TEST_BIN "/scalestudy"};
    argv.insert(argv.end(), words.begin(), words.end());
    return scalestudy::test::run_program(argv, {"HOME=/no/home"}).err;
  };
  CHECK_THAT(told({"query", "trials", "--results=~/runs"}),
             Contains("/no/home/runs/results.db: no such file"));
  CHECK_THAT(told({"query", "trials", "--results=./~/runs"}),
             Contains("./~/runs/results.db: no such file"));
}

TEST_CASE("a command's variable stands for its flag", "[cli]") {
  const Workspace workspace;
  const ProgramResult result =
      workspace.run({"plan", workspace.study()}, {"SCALESTUDY_FORMAT=json"});
  CHECK_THAT(result.out, StartsWith("["));
}

TEST_CASE("a value that a flag cannot have names the variable that gave it", "[cli]") {
  const Workspace workspace;
  const std::string problem = ": 'openmetrics' is not one of table, json, csv, markdown\n";
  CHECK(workspace.run({"list"}, {"SCALESTUDY_FORMAT=openmetrics"}).err ==
        "scalestudy: SCALESTUDY_FORMAT" + problem + "read `scalestudy list --help`\n");
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"list", "--format", "openmetrics"},
        {"list", "--format=openmetrics"}}) {
    CHECK(workspace.run(call, {"SCALESTUDY_FORMAT=json"}).err ==
          "scalestudy: --format" + problem + "read `scalestudy list --help`\n");
  }
  CHECK_THAT(workspace.run({"list"}, {"SCALESTUDY_COLOR=blue"}).err,
             StartsWith("scalestudy: SCALESTUDY_COLOR: 'blue' is not one of "));
}

TEST_CASE("variables of other verbs are not read", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);
  const ProgramResult query =
      workspace.run({"query", "select 1 as a"}, {"SCALESTUDY_FORMAT=openmetrics"});
  CHECK(query.err.empty());
  CHECK(query.exit_code == 0);
  CHECK_THAT(query.out, Contains("scalestudy_a 1\n"));
  CHECK(workspace.run({"list"}, {"SCALESTUDY_TIMEOUT=30m"}).exit_code == 0);
  CHECK(workspace.run({"query", "select 1"}, {"SCALESTUDY_TIMEOUT=30m"}).exit_code == 2);
}

TEST_CASE("an argument or a folder that has the name of a verb calls none", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);
  const std::vector<std::string> variable{"SCALESTUDY_FORMAT=openmetrics"};  // which `list` refuses
  CHECK_THAT(workspace.run({"query", "list"}, variable).err,
             StartsWith("scalestudy: no view or table is named list; "));
  CHECK_THAT(workspace.run({"query", "run", "--settle="}).err, !Contains("value is missing"));

  std::filesystem::rename(workspace.results(), workspace.file("list"));
  const std::string command = "cd '" + workspace.file("") +
                              "' && exec '" SCALESTUDY_TEST_BIN
                              "/scalestudy' --results list query 'select 1 as a'";
  CHECK_THAT(scalestudy::test::run_program({"sh", "-c", command}, variable).out,
             Contains("scalestudy_a 1\n"));
}

TEST_CASE("a help is printed whatever the variables say", "[cli]") {
  const Workspace workspace;
  for (const char* variable : {"SCALESTUDY_FORMAT=openmetrics", "SCALESTUDY_COLOR=purple"}) {
    for (const char* flag : {"--help", "-h"}) {
      const ProgramResult help = workspace.run({"list", flag}, {variable});
      CHECK(help.exit_code == 0);
      CHECK(help.err.empty());
      CHECK_THAT(help.out, Contains("Usage: scalestudy list"));
    }
  }
  CHECK_THAT(workspace.run({"list", "--", "-h"}, {"SCALESTUDY_FORMAT=openmetrics"}).err,
             StartsWith("scalestudy: SCALESTUDY_FORMAT: "));
}

TEST_CASE("an option without its value, or given twice, is told as such", "[cli]") {
  const Workspace workspace;
  CHECK_THAT(workspace.run({"list", "--format", "json", "--format", "csv"}).err,
             Contains("--format: give it once\n"));
  CHECK_THAT(workspace.run({"list", "--format="}).err,
             Contains("--format: its value is missing\n"));
  CHECK_THAT(workspace.run({"run", "a.yaml", "--settle="}).err,
             Contains("--settle: its value is missing\n"));
  CHECK_THAT(workspace.run({"run", "a.yaml", "--set"}).err,
             Contains("--set: its value is missing\n"));
  CHECK_THAT(
      scalestudy::test::run_program({SCALESTUDY_TEST_BIN "/scalestudy", "--results", "", "list"})
          .err,
      Contains("--results: the name of the folder is empty"));
  CHECK_THAT(workspace.run({"lst"}).err,
             Contains("no verb is named lst (did you mean \"list\"?)\n") &&
                 !Contains("a verb is required"));
  CHECK_THAT(workspace.run({"--fast"}).err,
             Contains("a verb is required\nno option is named --fast"));
}

TEST_CASE("an empty name of a study is told as such", "[cli]") {
  const Workspace workspace;
  for (const char* verb : {"run", "validate", "plan"}) {
    CHECK_THAT(workspace.run({verb, ""}).err, Contains("argument study is empty\n"));
  }
}
