// Black box: what each verb prints, and where.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/text/wrap.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using Catch::StartsWith;
using scalestudy::test::lines_of;
using scalestudy::test::on_terminal;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// The verbs below each heading of --help.
std::map<std::string, std::vector<std::string>> verbs_by_group(const std::string& help) {
  std::map<std::string, std::vector<std::string>> groups;
  std::string heading;
  for (const std::string& line : lines_of(help.substr(0, help.find("\nOptions:\n")))) {
    if (line.ends_with(':') && line.find(' ') == std::string::npos) {
      heading = line.substr(0, line.size() - 1);
    } else if (!heading.empty() && line.starts_with("  ") && line[2] != ' ') {
      groups[heading].push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return groups;
}

std::vector<std::string> registered_verbs(const Workspace& workspace) {
  std::vector<std::string> verbs;
  for (const auto& [heading, names] : verbs_by_group(workspace.run({"--help"}).out)) {
    verbs.insert(verbs.end(), names.begin(), names.end());
  }
  return verbs;
}

}  // namespace

TEST_CASE("every verb has a help with an example, is completed, and is on a how-to page", "[cli]") {
  const Workspace workspace;
  std::string pages;
  for (const auto& page :
       std::filesystem::directory_iterator(SCALESTUDY_SOURCE_DIR "/docs/how-to")) {
    pages += page.is_regular_file() ? read_file(page.path().string()) : "";
  }
  const std::string bash = workspace.run({"completion", "bash"}).out;
  const std::vector<std::string> verbs = registered_verbs(workspace);
  REQUIRE(verbs.size() > 10);
  for (const std::string& verb : verbs) {
    const ProgramResult result = workspace.run({verb, "--help"});
    INFO(verb);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("Example") && Contains("scalestudy " + verb));
    CHECK_THAT(bash, Contains("    " + verb + ") flags='--help"));
    CHECK_THAT(pages, Contains("scalestudy " + verb));
  }
  CHECK_THAT(workspace.run({"--help"}).out, Contains("Exit codes"));
  CHECK_THAT(workspace.run({"--version"}).out, StartsWith("scalestudy 0."));
}

TEST_CASE("the help lists verbs in groups, and the program alone prints it", "[cli]") {
  const Workspace workspace;
  const std::string help = workspace.run({"--help"}).out;
  auto groups = verbs_by_group(help);

  std::vector<std::string> start = groups["Start"];
  CHECK(start == std::vector<std::string>{"init", "time", "validate", "plan", "run", "report"});
  CHECK(groups["Compare"] == std::vector<std::string>{"compare", "history"});
  CHECK(groups["Correct"] ==
        std::vector<std::string>{"annotate", "exclude", "extract", "prune", "remove"});
  CHECK(groups["Cluster"] == std::vector<std::string>{"submit"});
  CHECK(groups.size() == 8);
  const ProgramResult alone = workspace.run({});
  CHECK(alone.exit_code == 2);  // a script that forgot the verb does not go on
  CHECK(alone.out == help);
  CHECK(alone.err.empty());
}

TEST_CASE("no line of a help is wider than 80 columns, nor than a terminal", "[cli]") {
  const Workspace workspace;
  const auto check = [&](const std::string& help, std::size_t width) {
    for (const std::string& line : lines_of(help)) {
      CAPTURE(line);
      CHECK(scalestudy::display_width(line) <= width);
    }
  };
  std::vector<std::string> verbs = registered_verbs(workspace);
  for (const std::string& verb : verbs) {
    check(workspace.run({verb, "--help"}).out, 80);
  }
  check(workspace.run({"--help"}).out, 80);
  check(on_terminal(workspace, {"--help"}, 200), 80);
  check(on_terminal(workspace, {"--help"}, 50), 50);
  check(on_terminal(workspace, {"run", "--help"}, 60), 60);
}

TEST_CASE("the variables that set options are one paragraph of a verb's help", "[cli]") {
  const std::string help = Workspace().run({"init", "--help"}).out;
  CHECK(help.find("SCALESTUDY_") == help.find("SCALESTUDY_FORCE"));
  const std::size_t begin = help.find("Environment variables that set these options: ");
  REQUIRE(begin < help.find("SCALESTUDY_"));
  CHECK(help.find("\n\n", begin) > help.rfind("SCALESTUDY_"));
  CHECK_THAT(help, Contains("SCALESTUDY_INIT_PARTIAL (--partial)"));
}

TEST_CASE("schema prints the format of studies and of datasets", "[cli]") {
  const Workspace workspace;
  CHECK(workspace.run({"schema"}).out ==
        read_file(SCALESTUDY_SOURCE_DIR "/data/study.schema.json"));
  CHECK(workspace.run({"schema", "dataset"}).out ==
        read_file(SCALESTUDY_SOURCE_DIR "/data/dataset.schema.json"));
  CHECK(workspace.run({"schema", "report"}).exit_code == 2);
}

TEST_CASE("a study that stops early cannot be run cell by cell", "[cli]") {
  const Workspace workspace;
  const ProgramResult result = workspace.run({"plan",
                                              workspace.study(),
                                              "--set",
                                              "trials={min: 2, max: 9, until: 2%}",
                                              "--set",
                                              "order.design=batch"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("trials.until") && Contains("design blocks"));
}

TEST_CASE("a line for each trial replaces the progress line on a dumb terminal", "[cli]") {
  const Workspace workspace;
  std::string command;
  for (const std::string& word : workspace.argv({"run", workspace.study(), "--max-trials", "2"})) {
    command += word + " ";
  }
  const auto on_terminal = [&](const std::string& type) {
    return scalestudy::test::run_program({"script", "-qec", command, "/dev/null"},
                                         {"TERM=" + type, "NO_COLOR=1"})
        .out;
  };
  CHECK_THAT(on_terminal("xterm"), Contains("\x1b[K"));
  const std::string dumb = on_terminal("dumb");
  CHECK_THAT(dumb, Contains("[ 3/20] ok") && !Contains("\x1b"));
}

TEST_CASE("run leaves one line a trial where there is no terminal", "[cli]") {
  const Workspace workspace;
  const ProgramResult result = workspace.run({"run", workspace.study()});
  CHECK_THAT(result.err, Contains("[ 1/20] ok") && Contains("[20/20] ok") && Contains("ETA"));
  CHECK_THAT(result.err, Contains(" 2 devices, batch 1000  block 5  "));
  CHECK_THAT(result.err, !Contains("\x1b"));
  const std::string last_line = result.err.substr(result.err.find("[20/20]"));
  CHECK_THAT(last_line, !Contains("ETA"));
  const std::string before_last = result.err.substr(result.err.find("[19/20]"));
  CHECK_THAT(before_last.substr(0, before_last.find('\n')), Catch::Matches(".*  ETA [0-9]+ s"));
  const ProgramResult again = workspace.run({"run", workspace.study()});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, !Contains("[20/20]"));
}

TEST_CASE("run stops after --max-trials and goes on", "[cli]") {
  const Workspace workspace;
  CHECK_THAT(workspace.run({"run", workspace.study(), "--max-trials", "3"}).err,
             Contains("17 planned, 3 ok"));
  CHECK_THAT(workspace.run({"status"}).out,
             Contains("demo: stopped (--max-trials reached): 3 trials done, 17 left; `"));
  CHECK_THAT(workspace.run({"run", workspace.study()}).err, Contains("20 ok"));
}

TEST_CASE("every verb that takes a study takes its file, and its name once it has run", "[cli]") {
  const Workspace workspace;
  CHECK(workspace.run({"run", "demo"}).exit_code == 2);
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "3"}).exit_code == 0);
  std::filesystem::rename(workspace.study(), workspace.file("moved.yaml"));
  for (const std::string& wanted : {std::string("demo"), workspace.file("moved.yaml")}) {
    for (const char* verb : {"validate", "plan", "run", "status", "report"}) {
      INFO(verb << ' ' << wanted);
      CHECK(workspace.run({verb, wanted}).exit_code == 0);
    }
  }
  CHECK(workspace.run({"status", "--format", "csv"}).out == "study,state,count\ndemo,ok,20\n");
  CHECK_THAT(workspace.run({"plan", "demo", "--set", "trials.count=7"}).err, Contains("28 trials"));
  const ProgramResult unknown = workspace.run({"run", "dmeo"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("results (did you mean \"demo\"?)"));
}

TEST_CASE("status counts trials by state", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "2"}).exit_code == 0);
  CHECK(workspace.run({"status", "--format", "csv"}).out ==
        "study,state,count\ndemo,ok,2\ndemo,planned,18\n");
  CHECK_THAT(workspace.run({"status"}).out, StartsWith("study  state    trials\n"));
  const auto studies = nlohmann::json::parse(workspace.run({"status", "--format", "json"}).out);
  REQUIRE(studies.size() == 1);
  CHECK(studies[0]["state"] == "stopped");
  CHECK(studies[0]["ending"] == "max_trials");
  CHECK(studies[0]["ok"] == 2);
  CHECK(studies[0]["left"] == 18);
  CHECK(studies[0]["last_failure"].is_null());
  CHECK(
      studies[0]["trials"] ==
      nlohmann::json::parse(R"([{"state": "planned", "count": 18}, {"state": "ok", "count": 2}])"));
  CHECK(workspace.run({"status", "nosuch"}).exit_code == 2);
  write_file(workspace.file("other.yaml"),
             "version: 1\nstudy: other\nworkload: command\ncommand: ['true']\n"
             "extract: [{metric: step_time_s, from: wall_time}]\n");
  const ProgramResult other = workspace.run({"status", workspace.file("other.yaml")});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err,
             Contains("no study is named other in ") && !Contains("there is no such file"));
  CHECK_THAT(
      workspace.run({"status", workspace.results()}).err,
      Contains(", and " + workspace.results() + " is no study file: it is a folder; there: demo."));

  const Workspace begun;
  REQUIRE(begun.run({"run", begun.study(), "--max-trials", "1"}).exit_code == 0);
  CHECK_THAT(begun.run({"status"}).out, Contains(": 1 trial done, 19 left; "));
}

TEST_CASE("query prints views and SQL in every format", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK(workspace.run({"query", "SELECT 1 AS a, NULL AS b, 'x,\"y' AS c", "--format", "csv"}).out ==
        "a,b,c\n1,,\"x,\"\"y\"\n");
  CHECK(workspace.run({"query", "SELECT 'a|b' AS x", "--format", "markdown"}).out ==
        "| x |\n| --- |\n| a\\|b |\n");
  CHECK(workspace.run({"query", "SELECT '<b>' AS 'p|q', 1 AS n", "--format", "markdown"}).out ==
        "| p\\|q | n |\n| --- | ---: |\n| \\<b\\> | 1 |\n");
  CHECK(workspace.run({"query", "SELECT 1 AS n WHERE 0", "--format", "markdown"}).out ==
        "| n |\n| --- |\n");
  CHECK(workspace.run({"query", "SELECT 1 AS x, 2 AS x, 3 AS x", "--format", "json"}).out ==
        "[\n  {\n    \"x\": 1,\n    \"x_2\": 2,\n    \"x_3\": 3\n  }\n]\n");
  CHECK_THAT(workspace.run({"query", "-", "--format", "json"}, {}, "SELECT 0.1 AS x").out,
             Contains("\"x\": 0.1"));
  CHECK_THAT(workspace.run({"query", "speedups"}).out, Contains("speedup"));
  CHECK_THAT(workspace.run({"query", "speedup"}).err, Contains("did you mean speedups?"));
}

TEST_CASE("query cannot write", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);
  CHECK_THAT(refusal_of(workspace, {"query", "DELETE FROM trial"}),
             Contains("query: this statement would write or change settings; "));
  CHECK(workspace.run({"query", "SELECT count(*) AS n FROM trial", "--format", "csv"}).out ==
        "n\n20\n");
}

TEST_CASE("a store that cannot be used exits 2 and stays as it is", "[cli]") {
  const Workspace workspace;
  std::filesystem::create_directories(workspace.results());
  const std::string path = workspace.results() + "/results.db";
  write_file(path, "this is no database, but somebody may need it\n");
  const std::string before = read_file(path);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", workspace.study()}, {"status"}, {"query", "SELECT 1"}}) {
    const ProgramResult result = workspace.run(arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("results.db"));
  }
  CHECK(read_file(path) == before);
}

TEST_CASE("colour is for terminals, and for those who ask", "[cli]") {
  const Workspace workspace;
  CHECK_THAT(workspace.run({"validate", workspace.study()}).out, !Contains("\x1b["));
  CHECK_THAT(workspace.run({"--color", "always", "validate", workspace.study()}).out,
             Contains("\x1b[32m"));
}

TEST_CASE("times that a program prints for each rank are kept for each rank", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: ranks\nworkload: command\n"
      "command: [sh, -c, 'for s in 1 2 3; do for r in 0 1; do echo \"[$r] step $s: $s$r ms\"; "
      "done; done']\n"
      "extract: [{metric: step_time_s, unit: ms, regex: '\\[(?<rank>\\d+)\\] step \\d+: "
      "(?<value>\\d+)'}]\n"
      "steps: {warmup: 1, measured: 2}\nvalidity: {calibration: none, foreign_load: 100%}\ntrials: "
      "{count: 1}\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  CHECK(
      workspace
          .run({"query",
                "SELECT ifnull(rank, 'all') AS rank, group_concat(round(1000 * value)) AS ms, "
                "sum(is_warmup) AS warmup FROM samples GROUP BY rank ORDER BY rank",
                "--format",
                "csv"})
          .out ==
      "rank,ms,warmup\n0,\"10.0,20.0,30.0\",1\n1,\"11.0,21.0,31.0\",1\nall,\"11.0,21.0,31.0\",1\n");

  // Of a loss no rank is the slowest.
  const ProgramResult loss = workspace.run({"validate",
                                            workspace.study(),
                                            "--set",
                                            "extract.0.metric=loss",
                                            "--set",
                                            "extract.0.unit=1"});
  CHECK(loss.exit_code == 2);
  CHECK_THAT(loss.err, Contains("a group named rank is for times"));
}

TEST_CASE("completion scripts are accepted by their shells", "[cli]") {
  const Workspace workspace;
  for (const std::string& shell : {std::string("bash"), std::string("zsh"), std::string("fish")}) {
    const ProgramResult script = workspace.run({"completion", shell});
    REQUIRE(script.exit_code == 0);
    for (const std::string& verb : registered_verbs(workspace)) {
      CHECK_THAT(script.out, Contains(verb));
    }
  }
}
