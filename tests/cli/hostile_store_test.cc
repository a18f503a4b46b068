// Black box: what hostile tables, rows, links and variables of a store would show, write or hold
// up.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

#include "tests/cli/strangers.h"

using Catch::Contains;
using namespace scalestudy::test;
namespace fs = std::filesystem;

TEST_CASE("what a store says of hashes and times is text in a page", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  const std::string markup = "<meta http-equiv=refresh content=0;url=//evil>";
  change(workspace.results(), "UPDATE study SET hash = '" + markup + "'");
  change(workspace.results(), "UPDATE session SET started_at = '" + markup + "'");
  change(workspace.results(),
         "UPDATE session SET tool_version = '" + markup + "', host = '" + markup +
             "', tool_revision = '" + markup + "'");

  REQUIRE(workspace.run({"publish", workspace.file("site")}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo", "--html"}).exit_code == 0);

  for (const std::string& folder :
       {workspace.file("site"), workspace.results() + "/reports/demo"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      CAPTURE(entry.path());
      const std::string extension = entry.path().extension();
      const std::string text = entry.is_regular_file() ? read_file(entry.path()) : "";
      CHECK((extension != ".html" || text.find("<meta http-equiv=refresh") == std::string::npos));
      CHECK((extension != ".html" || text.find("<meta htt</p>") == std::string::npos));
      CHECK((extension != ".cff" || text.find("date-released: <") == std::string::npos));
    }
  }
  CHECK_THAT(read_file(workspace.file("site/index.html")), !Contains("<meta htt<"));
}

TEST_CASE("a batch of 0 in a store has no epochs, and ends no report", "[cli]") {
  const Workspace workspace;
  // A study with an accuracy to reach: parts of an export, as a seed of the fuzz targets has them.
  std::string rest = read_file(SCALESTUDY_SOURCE_DIR "/tests/fuzz/seeds/exchange/epochs");
  fs::create_directories(workspace.file("export/small"));
  write_file(workspace.file("export/export.json"),
             R"({"format": "scalestudy export", "version": 1, "studies": ["small"]})");
  for (const char* file : {"study.json",
                           "study.yaml",
                           "cells.jsonl",
                           "sessions.jsonl",
                           "trials.jsonl",
                           "series.jsonl"}) {
    const std::size_t end = rest.find("---8<---\n");
    write_file(workspace.file("export/small/") + file, rest.substr(0, end));
    rest.erase(0, end + 9);
  }
  REQUIRE(workspace.run({"import", workspace.file("export")}).exit_code == 0);
  change(workspace.results(),
         "PRAGMA ignore_check_constraints = 1; UPDATE cell SET batch_global = 0");

  CHECK(workspace.run({"report", "small"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.results() + "/reports/small/report.md"),
             Contains("**Accuracy 80 %:** not known"));
}

TEST_CASE("status and list say what is wrong with a state, and bear what is NULL", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  for (const char* folder : {"state", "reason", "name"}) {
    fs::copy(workspace.results(), workspace.file(folder), fs::copy_options::recursive);
    change(workspace.file(folder),
           "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(replace(sql, "
           "'NOT NULL', ''), ') STRICT', ')') WHERE name IN ('study', 'trial')");
  }
  const std::string unchecked = "PRAGMA ignore_check_constraints = 1; ";
  change(workspace.file("state"), unchecked + "UPDATE trial SET state = 'x'");
  change(workspace.file("reason"), unchecked + "UPDATE trial SET state = 'failed', reason = NULL");
  change(workspace.file("name"), unchecked + "UPDATE study SET name = NULL");

  for (const char* verb : {"status", "list"}) {
    CAPTURE(verb);
    const ProgramResult result = run_in(workspace, "state", {verb});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("the state of a trial is 'x', which is not one of planned, "));
    CHECK(run_in(workspace, "reason", {verb}).exit_code == 0);
    CHECK(run_in(workspace, "name", {verb}).exit_code == 0);
  }
}

TEST_CASE("a trial is excluded, and has no part in results, where the study cannot be read",
          "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  REQUIRE(query_row(workspace, "SELECT count(*) > 0 FROM estimate") == "1\n");
  const std::string trial =
      query_row(workspace, "SELECT min(trial) FROM trials WHERE state = 'ok'");
  change(workspace.results(), "UPDATE study SET source_text = 'version: 1'");

  const ProgramResult exclude =
      workspace.run({"exclude", trial.substr(0, trial.size() - 1), "a backup"});

  CHECK(exclude.exit_code == 2);
  CHECK_THAT(exclude.err, Contains("counts as invalid") && Contains("workload"));
  CHECK(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'invalid'") == "1\n");
  CHECK(query_row(workspace, "SELECT count(*) FROM estimate") == "0\n");
}

TEST_CASE("query lists and shows a view that the store of another version lacks", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  change(workspace.results(), "DROP VIEW accounting");

  const ProgramResult shown = workspace.run({"query", "accounting"});

  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, Contains("study  state"));
  CHECK_THAT(workspace.run({"query", "--list"}).out, Contains("accounting"));
}

TEST_CASE("completion runs nothing that a store names", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  const std::string made = workspace.file("made");
  change(workspace.results(), "UPDATE study SET name = '$(touch " + made + ")'");
  const std::string script = workspace.file("completion");
  write_file(script, workspace.run({"completion", "bash"}).out);

  const ProgramResult result = run_program(
      {"bash",
       "-c",
       "source " + script + "; COMP_WORDS=(scalestudy --results " + workspace.results() +
           " report ''); COMP_CWORD=4; _scalestudy; echo completed"},
      {"PATH=" SCALESTUDY_TEST_BIN ":/usr/bin:/bin"});

  CHECK(result.out == "completed\n");
  CHECK_FALSE(fs::exists(made));
}

TEST_CASE("a view without an end in the place of a table holds up no verb", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";
  fs::copy(workspace.results(), workspace.file("table"), fs::copy_options::recursive);
  change(workspace.file("table"),
         "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; ALTER TABLE study RENAME TO "
         "real_study; CREATE VIEW STUDY AS " +
             endless + "r.* FROM n, real_study r WHERE i < 0");
  fs::copy(workspace.results(), workspace.file("trigger"), fs::copy_options::recursive);
  change(workspace.file("trigger"),
         "CREATE TRIGGER t AFTER INSERT ON look BEGIN INSERT INTO look " + endless +
             "1, i FROM n; END");
  fs::copy(workspace.results(), workspace.file("view"), fs::copy_options::recursive);
  change(
      workspace.file("view"),
      "DROP VIEW step_times; CREATE VIEW step_times AS " + endless +
          "i AS trial_id, i AS steps, 1.0 AS mean_s, '' AS definition, 0 AS slowest_rank FROM n");

  fs::copy(workspace.results(), workspace.file("column"), fs::copy_options::recursive);
  change(workspace.file("column"), "ALTER TABLE log ADD COLUMN slow TEXT AS (hex(text))");

  for (const std::string folder : {"table", "trigger", "column"}) {
    for (const std::vector<std::string>& verb : {std::vector<std::string>{"list"},
                                                 {"report", "demo"},
                                                 {"publish", workspace.file("site")},
                                                 {"query", "SELECT 1"}}) {
      CAPTURE(folder, verb.front());
      const ProgramResult result = run_in(workspace, folder, verb);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Contains("another program made or changed it"));
    }
  }
  CHECK(run_in(workspace, "view", {"status"}).exit_code == 0);
  CHECK(run_in(workspace, "view", {"report", "demo"}).exit_code == 0);
  CHECK(run_in(workspace, "view", {"report", "demo", "--check"}).exit_code == 0);
}

TEST_CASE("a site, a report and an export write and remove nothing behind a link in them",
          "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  const std::string elsewhere = workspace.file("elsewhere");
  fs::create_directories(elsewhere);
  const auto refused = [&](const std::vector<std::string>& verb, const std::string& link) {
    REQUIRE(workspace.run(verb).exit_code == 0);
    fs::remove_all(link);
    fs::create_directory_symlink(elsewhere, link);
    write_file(elsewhere + "/study.yaml", "precious");
    write_file(elsewhere + "/speedups.csv", "precious");
    const ProgramResult result = workspace.run(verb);
    CAPTURE(verb.front(), result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("behind a link in this folder"));
    CHECK(read_file(elsewhere + "/study.yaml") == "precious");
    CHECK(read_file(elsewhere + "/speedups.csv") == "precious");
    CHECK(std::distance(fs::directory_iterator(elsewhere), {}) == 2);
  };

  refused({"publish", workspace.file("site")}, workspace.file("site/studies/demo"));
  refused({"report", "demo", "--output", workspace.file("report")}, workspace.file("report/data"));
  refused({"export", "demo", workspace.file("x")}, workspace.file("x/demo"));
}

TEST_CASE("merge copies no file that lies behind a link, and none without measure", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  const auto merged = [&](const std::string& into) {
    const ProgramResult result = run_in(workspace, into, {"merge", workspace.results()});
    CHECK(result.exit_code == 0);
    return result.err;
  };
  const auto sizes = [&](const std::string& into) {
    std::uintmax_t most = 0;
    for (const auto& entry : fs::recursive_directory_iterator(workspace.file(into + "/logs"))) {
      most = std::max(most, entry.is_regular_file() ? entry.file_size() : 0);
    }
    return most;
  };
  const fs::path logs = workspace.results() + "/logs";
  const fs::path moved = workspace.file("private");
  fs::path one;
  for (const auto& entry : fs::recursive_directory_iterator(logs)) {
    one = entry.path().filename() == "stdout" ? entry.path() : one;
  }
  fs::resize_file(one, std::uintmax_t{1} << 30U);  // of holes
  CHECK_THAT(merged("big"), Contains("1 output not copied"));
  CHECK(sizes("big") < std::uintmax_t{1} << 20U);

  fs::rename(logs, moved);
  fs::create_directory_symlink(moved, logs);
  CHECK_THAT(merged("linked"), Contains("outputs not copied"));
  CHECK_FALSE(exists_below(workspace.file("linked"), "stdout"));
}

TEST_CASE("no variable that holds a secret, nor whose home it is, gets anywhere", "[cli]") {
  const Workspace workspace;
  const ProgramResult run = workspace.run({"run", workspace.study(), "--max-trials", "4"},
                                          {"NVIDIA_API_KEY=hush-1",
                                           "TF_VAR_database=hush-2",
                                           "TF_TOKEN_app_terraform_io=hush-3",
                                           "LD_API_TOKEN=hush-4",
                                           "PYTHON_PASSWORD=hush-5",
                                           "TF_CLI_CONFIG_FILE=/home/someone/.terraformrc",
                                           "TF_ENABLE_ONEDNN_OPTS=0",
                                           "VIRTUAL_ENV=/home/someone/venv",
                                           "LD_LIBRARY_PATH=/usr/lib:/home/someone/lib",
                                           "HOME=/home/someone"});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  // As an earlier version recorded it.
  change(workspace.results(),
         "INSERT INTO environment(session_id, name, value) VALUES (1, 'variable.JAX_SECRET', "
         "'hush-6')");
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  REQUIRE(workspace.run({"publish", workspace.file("site")}).exit_code == 0);
  REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);

  const std::string page = read_pages(workspace.results() + "/reports/demo/report.md");
  CHECK_THAT(page, Contains("variable.TF\\_ENABLE") || Contains("variable.TF_ENABLE_ONEDNN_OPTS"));
  CHECK_THAT(page, Contains("~/venv") && Contains("/usr/lib:") && Contains("~/lib"));
  for (const std::string& folder :
       {workspace.results() + "/reports", workspace.file("site"), workspace.file("x")}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string text = entry.is_regular_file() ? read_file(entry.path()) : "";
      CAPTURE(entry.path());
      CHECK(text.find("hush-") == std::string::npos);
      CHECK(text.find("/home/someone") == std::string::npos);
    }
  }
  CHECK_THAT(workspace.run({"query", "environments"}).out, !Contains("hush-1"));
}

TEST_CASE("no verb reads a log that a store names outside of its folder", "[cli]") {
  const std::string steps = "echo 'step 1: 1 s'; echo 'step 2: 2 s'";
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, \"" + steps +
      "\", \"{size}\"]\naxes: {size: [1, 2]}\nsteps: {warmup: 1, measured: 1}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 1}\nextract: [{metric: "
      "step_time_s, unit: s, "
      "regex: 'step \\d+: (.*) "
      "s'}]\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  write_file(workspace.file("private"), "step 1: 7 s\nstep 2: 7 s\nprecious\n");

  for (const std::string& path : {std::string("../private"), workspace.file("private")}) {
    CAPTURE(path);
    change(workspace.results(), "UPDATE log SET path = '" + path + "' WHERE path <> ''");
    CHECK_THAT(workspace.run({"logs", "1"}).out, !Contains("precious"));
    CHECK_THAT(workspace.run({"extract", "demo"}).out, Contains("its logs are gone"));
  }
  CHECK(workspace
            .run({"query", "--format", "csv", "SELECT count(*) AS n FROM samples WHERE value = 7"})
            .out == "n\n0\n");
}
