// Black box: what another machine measured is measured here, and held to what it stated.
#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using namespace scalestudy::test;

namespace {

const std::string kTargets =
    "  thresholds: [{metric: speedup, level: 1.0, along: batch_global}]\n"
    "  targets: [{name: pays, metric: speedup, where: {devices: 2, batch_global: 1000}, "
    "at_least: 1.2}]\n";

ProgramResult reproduce(const Workspace& workspace,
                        const std::string& folder,
                        std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(),
                   {SCALESTUDY_TEST_BIN "/scalestudy",
                    "--results",
                    workspace.file("mine"),
                    "reproduce",
                    workspace.file(folder),
                    "--yes"});
  return run_program(arguments);
}

// Turns every "faster" of the tables into "slower", every met target into a missed one.
void turn_round(const std::string& path) {
  std::string text = read_file(path);
  for (const auto& [from, to] : {std::pair{",faster,", ",slower,"}, {",met,", ",missed,"}}) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from)) {
      text.replace(at, std::string(from).size(), to);
    }
  }
  write_file(path, text);
}

}  // namespace

TEST_CASE("an export reproduces, differences of machine and software first", "[cli]") {
  skip_on_one_core();
  const Workspace workspace(study_text("-", kTargets));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);
  std::string sessions = read_file(workspace.file("x/demo/sessions.jsonl"));
  const std::size_t at = sessions.find("\"host\":\"") + 8;
  sessions.replace(at, sessions.find('"', at) - at, "their-host");
  write_file(workspace.file("x/demo/sessions.jsonl"), sessions);

  const ProgramResult result = reproduce(workspace, "x");

  INFO(result.out << result.err);
  CHECK((result.exit_code == 0 || result.exit_code == 5));
  CHECK_THAT(result.out, Contains("Machine and software differ") && Contains("their-host"));
  CHECK(result.out.find("their-host") < result.out.find("speedup of devices=2"));
  CHECK_THAT(result.out, Contains("target pays") && Contains("met") && Contains("0 not,"));
  CHECK_THAT(result.out, Contains("speedup = 1 along batch_global"));
  const ProgramResult csv = reproduce(workspace, "x", {"--format", "csv"});
  CHECK(csv.out.starts_with(
      "statement,verdict_there,value_there,lo_there,hi_there,verdict_here,value_here,lo_here,"
      "hi_here,outcome\n"));
  CHECK_THAT(csv.out, Contains(",reproduced\n"));
  const auto rows = nlohmann::json::parse(reproduce(workspace, "x", {"--format", "json"}).out);
  REQUIRE(rows.size() > 1);
  CHECK_THAT(rows[0]["statement"].get<std::string>(), Contains("speedup of devices=2"));
  CHECK(rows[0]["lo_there"].get<double>() < rows[0]["value_there"].get<double>());
  CHECK(rows[0]["value_here"].is_number());
}

TEST_CASE("a report's folder reproduces, and what it should not have said does not", "[cli]") {
  skip_on_one_core();
  const Workspace workspace(study_text("-", kTargets));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo", "--output", workspace.file("report")}).exit_code == 0);

  const ProgramResult same = reproduce(workspace, "report");
  INFO(same.out << same.err);
  CHECK((same.exit_code == 0 || same.exit_code == 5));
  CHECK_THAT(same.out, Contains(" reproduced, 0 not,"));

  // That another trial of the cell began in the same second makes it no copy.
  SQLite::Database mine(workspace.file("mine/results.db"), SQLite::OPEN_READWRITE);
  mine.exec("ATTACH '" + workspace.results() + "/results.db' AS theirs");
  mine.exec("UPDATE main.trial SET started_at = (SELECT min(started_at) FROM theirs.trial)");
  turn_round(workspace.file("report/data/speedups.csv"));
  turn_round(workspace.file("report/data/targets.csv"));
  const ProgramResult other = reproduce(workspace, "report");
  CHECK(other.exit_code == 4);
  CHECK_THAT(other.out, Contains("not reproduced"));

  std::string page = read_file(workspace.file("report/details.md"));
  std::string elsewhere = page;
  elsewhere.replace(elsewhere.find("\nStudy `demo`") + 8, 4, "../../demo");
  write_file(workspace.file("report/details.md"), elsewhere);
  CHECK_THAT(reproduce(workspace, "report").err, Contains("is not that of `../../demo`"));

  page.replace(page.find("measured: 10"), 12, "measured: 11");
  write_file(workspace.file("report/details.md"), page);
  const ProgramResult changed = reproduce(workspace, "report");
  CHECK(changed.exit_code == 2);
  CHECK_THAT(changed.err, Contains("is not that of `demo`, hash"));
}

TEST_CASE("a copy of the original is no reproduction", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "2"}).exit_code == 0);
  REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);

  const ProgramResult own = workspace.run({"reproduce", workspace.file("x")});

  CHECK(own.exit_code == 2);
  CHECK_THAT(own.err, Contains("holds the very trials that are to be reproduced"));
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  const ProgramResult report =
      workspace.run({"reproduce", workspace.results() + "/reports/demo", "--yes"});
  CHECK(report.exit_code == 2);
  CHECK_THAT(report.err, Contains("holds the very trials that are to be reproduced"));
  CHECK(workspace.run({"reproduce", workspace.file("nothing")}).exit_code == 2);

  // As after `prune`: the sessions are those of the export nevertheless.
  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE trial SET started_at = NULL");
  CHECK_THAT(workspace.run({"reproduce", workspace.file("x")}).err,
             Contains("holds the very trials that are to be reproduced"));
}
