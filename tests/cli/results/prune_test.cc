// Black box: what old sessions left goes, and what is left stays whole.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;
using Catch::Contains;
using namespace scalestudy::test;

namespace {

std::string ok_trials(const Workspace& workspace) {
  return query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'ok'");
}

std::size_t output_folders(const Workspace& workspace) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(workspace.results() + "/logs/demo")) {
    count += entry.is_directory() ? 1 : 0;
  }
  return count;
}

// Every file of the report of demo, with details.
std::string report_text(const Workspace& workspace) {
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  const std::string folder = workspace.results() + "/reports/demo/";
  return read_file(folder + "report.md") + read_file(folder + "details.md") +
         read_file(folder + "data/results.csv");
}

ProgramResult prune(const Workspace& workspace, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"prune", "demo"});
  return workspace.run(std::move(arguments));
}

}  // namespace

TEST_CASE("prune says what would go and what needs it, and does nothing unasked", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 3);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);

  const ProgramResult dry = prune(workspace, {"--trials", "--dry-run"});
  INFO(dry.out + dry.err);
  CHECK(dry.exit_code == 0);
  CHECK_THAT(
      dry.out,
      Contains("demo, sessions 1 to 2 (2 of 3):\n  8 trials, with ") &&
          Contains("outputs of 8 attempts, ") && Contains(" KiB in logs") &&
          Contains("reports/demo, which cannot be") &&
          Contains(
              "compare and history, which no longer find trials in sessions 1 to 2 (2 of 3)") &&
          Contains("export first: scalestudy"));
  const ProgramResult unasked = prune(workspace, {"--trials"});
  CHECK(unasked.exit_code == 2);
  CHECK_THAT(unasked.err, Contains("pass --yes"));
  CHECK_THAT(prune(workspace, {"--yes"}).err,
             Contains("say what to remove: --outputs, --ranks or --trials\n"));
  CHECK(ok_trials(workspace) == "12\n");
  CHECK(output_folders(workspace) == 12);
  CHECK_THAT(prune(workspace, {"--trials", "--keep", "3", "--yes"}).err,
             Contains("no session before the newest 3"));
}

TEST_CASE("without the outputs of old sessions a report has the same bytes", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 3);
  const std::string before = report_text(workspace);

  const ProgramResult pruned = prune(workspace, {"--outputs", "--keep", "2", "--yes"});
  INFO(pruned.out + pruned.err);
  REQUIRE(pruned.exit_code == 0);

  CHECK(output_folders(workspace) == 8);
  CHECK(report_text(workspace) == before);
  CHECK_THAT(workspace.run({"logs", "1"}).err, Contains("no longer exists"));
}

TEST_CASE("without old trials results rest on the rest, and no run wants them again", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 3);
  REQUIRE(workspace.run({"export", "demo", workspace.file("copy")}).exit_code == 0);
  const std::string before = report_text(workspace);
  CHECK_THAT(before, !Contains("removed by prune"));
  const auto size = fs::file_size(workspace.results() + "/results.db");

  const ProgramResult pruned = prune(workspace, {"--trials", "--yes"});
  INFO(pruned.out + pruned.err);
  REQUIRE(pruned.exit_code == 0);

  CHECK(fs::file_size(workspace.results() + "/results.db") < size);
  CHECK_FALSE(fs::exists(workspace.results() + "/results.db-wal"));
  CHECK(output_folders(workspace) == 4);
  CHECK(ok_trials(workspace) == "4\n");
  CHECK(query_row(workspace, "SELECT count(*) FROM samples WHERE NOT state = 'ok'") == "0\n");
  CHECK(query_row(workspace, "SELECT count(*) FROM results") == "0\n");
  CHECK(query_row(workspace, "SELECT state, count FROM accounting WHERE state = 'skipped'") ==
        "skipped,8\n");
  CHECK_THAT(report_text(workspace),
             Contains("8 trials of earlier sessions were removed by prune. All results rest on the "
                      "trials that are left.") &&
                 Contains("1 machine, 1 session") &&
                 Contains("; 1 in the tables; prune removed 8 trials of earlier sessions"));
  CHECK(query_row(workspace, "SELECT DISTINCT n FROM results WHERE variant = 'all'") == "1\n");

  // The plan has nothing left to run.
  const ProgramResult again = workspace.run({"run", workspace.study(), "--set", "trials.count=3"});
  INFO(again.out + again.err);
  CHECK(ok_trials(workspace) == "4\n");
  CHECK(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'planned'") == "0\n");
  CHECK_THAT(prune(workspace, {"--trials", "--yes"}).err,
             Contains("nothing is left to remove in sessions 1 to 2 (2 of"));

  // The export has them still.
  const ProgramResult there = run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                                           "--results",
                                           workspace.file("there"),
                                           "import",
                                           workspace.file("copy")});
  REQUIRE(there.exit_code == 0);
  const ProgramResult merged = workspace.run({"merge", workspace.file("there")});
  REQUIRE(merged.exit_code == 0);
  CHECK_THAT(merged.err,
             Contains("warning: 8 trials that `prune` had removed came back from " +
                      workspace.file("there")));
  CHECK(ok_trials(workspace) == "12\n");
  CHECK_THAT(workspace.run({"merge", workspace.file("there")}).err, !Contains("came back"));
}

// Kills prune at ten instants. Until its transaction the store has all trials, from then on it has
// the newest alone; the next prune removes what is left over.
TEST_CASE("a prune that is killed leaves a whole store, and the next one ends its work", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 2);
  const std::string full = workspace.file("full");
  fs::copy(workspace.results(), full, fs::copy_options::recursive);

  for (const unsigned delay_us :
       {500U, 2000U, 5000U, 8000U, 12000U, 16000U, 20000U, 30000U, 45000U, 70000U}) {
    fs::remove_all(workspace.results());
    fs::copy(full, workspace.results(), fs::copy_options::recursive);
    const pid_t child = fork();
    if (child == 0) {
      (void)freopen("/dev/null", "w", stdout);
      (void)freopen("/dev/null", "w", stderr);
      execl(SCALESTUDY_TEST_BIN "/scalestudy",
            "scalestudy",
            "--results",
            workspace.results().c_str(),
            "prune",
            "demo",
            "--trials",
            "--yes",
            nullptr);
      _exit(127);
    }
    usleep(delay_us);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);

    INFO(delay_us);
    CHECK(query_row(workspace,
                    "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") ==
          "0\n");
    const std::string trials = ok_trials(workspace);
    CHECK((trials == "8\n" || trials == "4\n"));
    const ProgramResult pruned = prune(workspace, {"--trials", "--yes"});
    INFO(pruned.out + pruned.err);
    CHECK(pruned.exit_code == 0);
    CHECK(ok_trials(workspace) == "4\n");
    SQLite::Database database(workspace.results() + "/results.db");
    CHECK(20 * database.execAndGet("PRAGMA freelist_count").getInt() <=
          database.execAndGet("PRAGMA page_count").getInt());
    CHECK(output_folders(workspace) == 4);
  }
}

TEST_CASE("prune names sessions by their ids, also beside those of another study", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 1);
  std::string text = study_text();
  write_file(workspace.study(), text.replace(text.find("study: demo"), 11, "study: also"));
  run_sessions(workspace, 1, 2);

  CHECK_THAT(workspace.run({"prune", "also", "--trials", "--dry-run"}).out,
             Contains("also, session 2 (1 of 2):\n"));
}

TEST_CASE("prune names no session that stays", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 3);
  // As after a merge: the newest has not the highest id.
  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE session SET started_at = '2099-01-01T00:00:00Z' WHERE id = 2");

  CHECK_THAT(prune(workspace, {"--trials", "--dry-run"}).out,
             Contains("demo, sessions 1, 3 (2 of 3):\n"));
}

// A store may come from anybody.
TEST_CASE("prune removes nothing outside the study's logs, whatever the store says", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 2);
  fs::create_directories(workspace.file("precious"));
  write_file(workspace.file("precious/stdout"), "text");
  fs::create_directories(workspace.results() + "/logs/other/a");
  write_file(workspace.results() + "/logs/other/a/stdout", "text");
  const std::string update =
      "UPDATE log SET path = '../precious/stdout' WHERE id = 1; "
      "UPDATE log SET path = 'logs/other/a/stdout' WHERE id = 2; "
      "UPDATE log SET path = 'logs/demo/x/../../other/a/stdout' WHERE id = 3";
  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE).exec(update);

  REQUIRE(prune(workspace, {"--outputs", "--yes"}).exit_code == 0);

  CHECK(fs::exists(workspace.file("precious/stdout")));
  CHECK(fs::exists(workspace.results() + "/logs/other/a/stdout"));
}

TEST_CASE("prune leaves outputs behind a link, and says so", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 2);
  fs::rename(workspace.results() + "/logs", workspace.file("kept"));
  fs::create_directory_symlink(workspace.file("kept"), workspace.results() + "/logs");

  const ProgramResult pruned = prune(workspace, {"--outputs", "--yes"});

  CHECK(pruned.exit_code == 0);
  CHECK_THAT(pruned.err,
             Contains("outputs of 4 attempts stay, because they are behind a link in " +
                      workspace.results() + "\n"));
  CHECK(output_folders(workspace) == 8);
}

TEST_CASE("prune names cells that only old sessions have", "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 1);
  REQUIRE(workspace
              .run({"run",
                    workspace.study(),
                    "--accept-changes",
                    "--set",
                    "trials.count=2",
                    "--max-trials",
                    "1"})
              .exit_code <= 5);

  CHECK_THAT(prune(workspace, {"--trials", "--dry-run"}).out,
             Contains("- 3 cells without newer trials, which will have no results"));
  CHECK(prune(workspace, {"--trials", "--yes"}).exit_code == 0);
  const ProgramResult logs = workspace.run({"logs", "1"});
  CHECK(logs.exit_code == 2);
  CHECK_THAT(logs.err, Contains("and the store has no line of it"));
}

TEST_CASE("logs of files that are gone are those that the store keeps", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(),
             "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, echo hi; exit 1]\n"
             "validity: {calibration: none}\ntrials: {count: 1}\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);
  fs::remove_all(workspace.results() + "/logs");

  const ProgramResult logs = workspace.run({"logs", "1"});

  CHECK(logs.exit_code == 0);
  CHECK_THAT(logs.out, Contains("hi\n"));
  CHECK_THAT(logs.err, Contains("stderr no longer exists, and the store has no line of it"));
  CHECK(workspace.run({"logs", "1", "--stream", "stderr"}).exit_code == 2);
}

TEST_CASE("a session in which all trials failed takes the place of no session that is kept",
          "[cli]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 2);
  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE trial SET state = 'failed' WHERE session_id = (SELECT max(id) FROM session)");

  CHECK_THAT(prune(workspace, {"--trials", "--yes"}).err,
             Contains("no session before the newest 1"));
  CHECK(ok_trials(workspace) == "4\n");
}
