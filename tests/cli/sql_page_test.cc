// docs/how-to/ask-in-sql.md: every view and query answers its question, and its one-liners of other
// programs run where those are.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "tests/cli/strangers.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"

using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using scalestudy::test::change;
using scalestudy::test::JsonSchema;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::run_in;
using scalestudy::test::run_program;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

const std::string kPage = SCALESTUDY_SOURCE_DIR "/docs/how-to/ask-in-sql.md";

// The blocks of one language on the page.
std::vector<std::string> blocks(const std::string& language) {
  const std::string page = read_file(kPage);
  const std::string fence = "```" + language + "\n";
  std::vector<std::string> found;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    found.push_back(page.substr(at, page.find("```", at) - at));
  }
  return found;
}

// The views that answer a question on the page alone: the first word beside each.
std::vector<std::string> views_of_questions() {
  const std::string page = read_file(kPage);
  const std::string beside = "? | `";
  std::vector<std::string> found;
  for (std::size_t at = page.find(beside); at != std::string::npos; at = page.find(beside, at)) {
    at += beside.size();
    found.push_back(page.substr(at, page.find('`', at) - at));
  }
  return found;
}

// A study "quickstart" with an axis of its own, prices, a target, a threshold, a cell that fails, a
// remark and somebody's figures: a row for every question.
const char* const kQuickstart =
    "version: 1\nstudy: quickstart\ntitle: Does a second device pay?\nworkload: command\n"
    "command: [sh, -c, '[ {level}{batch_global}{devices} != 2642 ] || { echo last words; exit 1; "
    "}; "
    "for i in 1 2 3 4; do echo \"step $i 1{devices}.{batch_global}{level} ms\"; done']\n"
    "extract: [{metric: step_time_s, unit: ms, regex: 'step (\\d+) (\\S+) ms', group: 2}]\n"
    "axes: {devices: [1, 2], batch_global: [32, 64], level: [1, 2]}\n"
    "steps: {warmup: 1, measured: 3}\nvalidity: {calibration: none, foreign_load: 100%}\ntrials: "
    "{count: 3}\nlimits: "
    "{retries: 0}\n"
    "cost: {per_device_hour: 2.5, currency: USD}\n"
    "analysis:\n  baseline: {devices: 1}\n"
    "  thresholds: [{metric: speedup, level: 1.0, along: batch_global}]\n"
    "  targets: [{name: pays, metric: speedup, where: {devices: 2}, at_least: 1.2}]\n";

class Reported : public Workspace {
 public:
  Reported() : Workspace(kQuickstart) {
    CHECK(run({"run", study()}).exit_code == 3);
    CHECK(run({"annotate", "1", "the fan was loud"}).exit_code == 0);
    CHECK(run({"import", SCALESTUDY_SOURCE_DIR "/docs/examples/audit", "--study", "quickstart"})
              .exit_code == 0);
    const ProgramResult report = run({"report", "quickstart"});
    INFO(report.err);
    CHECK(report.exit_code == 0);
  }
};

}  // namespace

TEST_CASE("each question has a view or a query that answers it", "[cli]") {
  const Reported workspace;
  const std::vector<std::string> views = views_of_questions();
  const std::vector<std::string> queries = blocks("sql");

  REQUIRE(views.size() == 14);
  REQUIRE(queries.size() == 6);
  std::vector<std::string> all = views;
  all.insert(all.end(), queries.begin(), queries.end());
  for (const std::string& sql : all) {
    CAPTURE(sql);
    const ProgramResult result = workspace.run({"query", sql, "--format", "json"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_FALSE(nlohmann::json::parse(result.out).empty());
  }
  const ProgramResult level = workspace.run({"query", queries[1], "--format", "csv"});
  CHECK_THAT(level.out, Contains("level,step_time_s\n1,0.0"));
  CHECK_THAT(workspace.run({"query", queries[2]}).out, Contains("last words"));
}

TEST_CASE("queries of trials leave out what extract has replaced", "[cli]") {
  const Reported workspace;
  const std::vector<std::string> queries = blocks("sql");
  const auto rows = [&](std::size_t question) {
    return nlohmann::json::parse(
        workspace.run({"query", queries.at(question - 1), "--format", "json"}).out);
  };

  // 1, 2, 3, 4 ms in place of 11.321 ms and more; the first is warm-up.
  REQUIRE(
      workspace.run({"extract", "quickstart", "--set", "extract.0.group=1", "--yes"}).exit_code ==
      0);

  CHECK(rows(5).size() == 3);  // blocks
  for (const nlohmann::json& block : rows(5)) {
    CHECK(block["relative"].get<double>() == Approx(1.0));
  }
  CHECK(rows(6).size() == 10);  // of 21 trials: 3 of the 7 cells that did not fail
  for (const nlohmann::json& trial : rows(6)) {
    CHECK(trial["step_time_s"].get<double>() == Approx(0.004));
  }
}

TEST_CASE("queries of sessions tell two machines apart", "[cli]") {
  // Steps of 1 and 2 ms on one machine, of 3 and 6 ms on the other, which alone has a lid.
  const Workspace workspace(
      "version: 1\nstudy: quickstart\nworkload: command\n"
      "command: [sh, -c, 'for i in 1 2 3; do echo \"step $i $((SLOWER * {size})) ms\"; done']\n"
      "extract: [{metric: step_time_s, unit: ms, regex: 'step \\d+ (\\S+) ms'}]\n"
      "axes: {size: [2, 1]}\nsteps: {warmup: 1, measured: 2}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n");
  REQUIRE(workspace.run({"run", workspace.study()}, {"SLOWER=1"}).exit_code == 0);
  REQUIRE(run_in(workspace, "other", {"run", workspace.study()}, {"SLOWER=3"}).exit_code == 0);
  change(workspace.file("other"),
         "UPDATE session SET host = 'elsewhere'; INSERT INTO environment(session_id, name, value) "
         "VALUES (1, 'lid', 'open')");
  REQUIRE(workspace.run({"merge", workspace.file("other")}).exit_code == 0);
  REQUIRE(workspace.run({"report", "quickstart"}).exit_code == 0);
  const std::vector<std::string> queries = blocks("sql");
  const auto rows = [&](std::size_t question) {
    return nlohmann::json::parse(
        workspace.run({"query", queries.at(question - 1), "--format", "json"}).out);
  };

  // Without a batch there is no throughput: 4 ms and 2 ms are the means over both machines.
  const nlohmann::json cells = rows(1);
  REQUIRE(cells.size() == 2);
  CHECK(cells[0]["throughput"].is_null());
  CHECK(cells[0]["step_time_s"].get<double>() == Approx(0.002));
  CHECK(cells[1]["step_time_s"].get<double>() == Approx(0.004));

  const nlohmann::json facts = rows(4);
  const auto variants = [&](const std::string& name) {
    for (const nlohmann::json& fact : facts) {
      if (fact["name"] == name) {
        return fact["variants"].dump() + " in " + fact["sessions"].dump();
      }
    }
    return std::string("-");
  };
  CHECK(variants("host") == "2 in 2");
  CHECK(variants("lid") == "1 in 1");
  CHECK(variants("cores") == "1 in 2");

  // Each machine ran the blocks 0 and 1: half and one and a half times the mean of each cell.
  std::map<std::pair<int, int>, double> drift;
  for (const nlohmann::json& row : rows(5)) {
    drift[{row["session"].get<int>(), row["block"].get<int>()}] = row["relative"].get<double>();
  }
  REQUIRE(drift.size() == 4);
  for (const int block : {0, 1}) {
    const auto [fast, slow] = std::minmax(drift.at({1, block}), drift.at({2, block}));
    CHECK(fast == Approx(0.5));
    CHECK(slow == Approx(1.5));
  }
}

TEST_CASE("the verdict of a speedup says that all trials of a cell failed", "[cli]") {
  const Reported workspace;

  // The other three cells of two devices have times that do not vary.
  CHECK(query_csv(workspace, "SELECT verdict, count(*) AS n FROM speedups GROUP BY 1") ==
        "verdict,n\nfailed,1\nnot enough data,3\n");
}

TEST_CASE("query --list names every view with its columns", "[cli]") {
  const Reported workspace;

  const ProgramResult list = workspace.run({"query", "--list", "--format", "json"});

  REQUIRE(list.exit_code == 0);
  const std::string told = "what they mean: ";
  REQUIRE_THAT(list.err, StartsWith(told + "/") && EndsWith("/harness/store/SCHEMA.md\n"));
  CHECK(std::filesystem::exists(list.err.substr(told.size(), list.err.size() - told.size() - 1)));
  int views = 0;
  for (const nlohmann::json& row : nlohmann::json::parse(list.out)) {
    if (row["type"] == "view") {
      CAPTURE(row);
      ++views;
      CHECK_THAT(row["columns"].get<std::string>(),
                 Contains(row["name"] == "step_times" ? "trial" : "study"));
    }
  }
  CHECK(views >= 22);
  CHECK(workspace.run({"query"}).exit_code == 2);
  CHECK(workspace.run({"query", "results", "--list"}).exit_code == 2);
}

TEST_CASE("a misspelt table or column gets a suggestion", "[cli]") {
  const Reported workspace;
  const auto error = [&](const std::string& sql) {
    const ProgramResult result = workspace.run({"query", sql});
    CHECK(result.exit_code == 2);
    return result.err;
  };

  CHECK_THAT(error("SELECT * FROM speedup"), Contains("(did you mean speedups?)"));
  CHECK_THAT(error("SELECT throughtput FROM results"), Contains("(did you mean throughput?)"));
  CHECK_THAT(error("SELECT r.throughtput FROM results r"), Contains("(did you mean throughput?)"));
  CHECK_THAT(error("SELECT bracket_lo FROM results"), Contains("(it is a column of thresholds)"));
  CHECK_THAT(error("SELECT xyzzy FROM results"), !Contains("did you mean"));
}

TEST_CASE("a report has its results as JSON that satisfies their schema, and a citation", "[cli]") {
  const Reported workspace;
  const std::string folder = workspace.file("results/reports/quickstart/");
  const JsonSchema schema("results.schema.json");
  const std::string text = read_file(folder + "results.json");

  CHECK(schema.problems(text).empty());
  nlohmann::json results = nlohmann::json::parse(text);
  // Eight cells in two variants; on a busy machine there are more, by which trials met load.
  CHECK(std::ranges::count_if(results["results"], [](const nlohmann::json& row) {
          return row["variant"] == "all" || row["variant"] == "unflagged";
        }) == 16);
  CHECK(results["results"][0]["axes"]["devices"] == 1);
  CHECK_FALSE(results["thresholds"].empty());
  CHECK(results["targets"][0]["verdict"].is_string());
  for (const char* key : {"results", "study", "threats"}) {
    nlohmann::json broken = results;
    broken.erase(key);
    CHECK_FALSE(schema.problems(broken.dump()).empty());
  }
  results["results"][0]["step_time_s"] = "fast";
  CHECK_FALSE(schema.problems(results.dump()).empty());

  CHECK(workspace.run({"schema", "results"}).out ==
        read_file(SCALESTUDY_SOURCE_DIR "/data/results.schema.json"));

  const std::string citation = read_file(folder + "CITATION.cff");
  const YAML::Node cff = YAML::Load(citation);
  for (const char* key : {"cff-version", "message", "title", "authors"}) {
    CHECK(cff[key]);
  }
  CHECK(cff["title"].as<std::string>() == "Does a second device pay?");
  CHECK(workspace.run({"report", "quickstart", "--check"}).exit_code == 0);
  write_file(folder + "results.json", "{}");
  CHECK(workspace.run({"report", "quickstart", "--check"}).exit_code == 4);
}

TEST_CASE("the one-liners of pandas and R print the speedups where they are installed", "[cli]") {
  const Reported workspace;
  const auto shell = [&](const std::string& program, const std::string& code) {
    write_file(workspace.file("line"), code);
    const std::string folder = std::filesystem::path(workspace.results()).parent_path().string();
    return run_program({"sh", "-c", "cd '" + folder + "' && " + program + " line"});
  };
  if (run_program({"sh", "-c", "PATH=/usr/bin:$PATH python3 -c 'import pandas'"}).exit_code == 0) {
    const ProgramResult result = shell("PATH=/usr/bin:$PATH python3", blocks("python").at(0));
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("quickstart"));
  } else {
    WARN("pandas is missing: its line was not run (Debian: python3-pandas)");
  }
  if (run_program({"sh", "-c", "Rscript -e 'library(RSQLite)'"}).exit_code == 0) {
    const ProgramResult result = shell("Rscript", blocks("r").at(0));
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("quickstart"));
  } else {
    WARN("R is missing: its line was not run (Debian: r-cran-rsqlite)");
  }
}
