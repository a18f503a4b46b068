// Black box: results folders of several machines come together.
#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy::test;

TEST_CASE("stores of two machines become one that is reported and gone on with", "[cli]") {
  const Workspace workspace;
  REQUIRE(run_in(workspace, "one", {"run", workspace.study()}).exit_code == 0);
  REQUIRE(run_in(workspace, "two", {"run", workspace.study()}).exit_code == 0);

  const ProgramResult merged =
      workspace.run({"merge", workspace.file("one"), workspace.file("two")});

  INFO(merged.err);
  REQUIRE(merged.exit_code == 0);
  CHECK_THAT(merged.out, Contains("/one: 20 trials taken, 0 known"));
  CHECK_THAT(merged.out, Contains("/two: 20 trials taken, 0 known"));
  CHECK(query_row(workspace,
                  "SELECT count(*), count(DISTINCT plan), count(DISTINCT session), sum(superseded) "
                  "FROM trials WHERE state = 'ok'") == "40,2,2,0\n");
  CHECK(query_row(workspace, "SELECT DISTINCT n FROM results WHERE variant = 'all'") == "10\n");
  for (const auto& row : {"stdout", "stderr"}) {
    CAPTURE(row);
    const std::string path = query_row(
        workspace, "SELECT path FROM log WHERE stream = '" + std::string(row) + "' LIMIT 1");
    CHECK(std::filesystem::exists(workspace.results() + "/" + path.substr(0, path.size() - 1)));
  }
  CHECK(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(workspace.run({"merge", workspace.file("two")}).out,
             Contains("0 trials taken, 20 known"));
  CHECK(workspace.run({"run", workspace.study()}).exit_code == 0);
  CHECK(query_row(workspace, "SELECT count(*) FROM trials") == "40\n");
}

TEST_CASE("copies of a store that went on apart are refused as a whole", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "3"}).exit_code == 0);
  std::filesystem::copy(
      workspace.results(), workspace.file("copy"), std::filesystem::copy_options::recursive);
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);
  CHECK_THAT(workspace.run({"merge", workspace.file("copy")}).out,
             Contains("0 trials taken, 3 known"));
  REQUIRE(run_in(workspace, "copy", {"run", workspace.study(), "--max-trials", "2"}).exit_code ==
          0);

  const ProgramResult refused = workspace.run({"merge", workspace.file("copy")});

  CHECK(refused.exit_code == 2);
  CHECK_THAT(
      refused.err,
      Contains(workspace.results() + " and " + workspace.file("copy") + " cannot be merged"));
  CHECK_THAT(refused.err, Contains("study demo: cell ") && Contains("attempt 1: ok since"));
  CHECK_THAT(run_in(workspace, "both", {"merge", workspace.results(), workspace.file("copy")}).err,
             Contains("/both, " + workspace.results() + " and " + workspace.file("copy") +
                      " cannot be merged"));
  CHECK_FALSE(std::filesystem::exists(workspace.file("both")));
  std::filesystem::create_directory(workspace.file("there"));
  CHECK(run_in(workspace, "there", {"merge", workspace.results(), workspace.file("copy")})
            .exit_code == 2);
  CHECK(std::filesystem::is_empty(workspace.file("there")));
  CHECK(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'ok'") == "4\n");
  CHECK_THAT(refusal_of(workspace, {"merge", workspace.file("nowhere")}),
             Contains(workspace.file("nowhere") + "/results.db: no such file; "));
}

TEST_CASE("how studies merge that differ in the values of an axis is told", "[cli]") {
  const Workspace workspace;
  const auto require_run_of = [&](const std::string& folder,
                                  const std::string& values,
                                  const std::vector<std::string>& options) {
    write_file(workspace.study(),
               "version: 1\nstudy: demo\nworkload: command\ncommand: [echo, '{size}']\n"
               "axes: {size: " +
                   values +
                   "}\nextract: [{metric: step_time_s, from: wall_time}]\n"
                   "validity: {calibration: none}\ntrials: {count: 2}\n");
    std::vector<std::string> arguments = {"run", workspace.study()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult run = run_in(workspace, folder, arguments);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
  };
  require_run_of("one", "[1, 2]", {});
  require_run_of("two", "[1, 3]", {});
  const auto merged = [&] { return run_in(workspace, "one", {"merge", workspace.file("two")}); };

  const ProgramResult refused = merged();

  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             Contains("study demo: axes.size: [1, 2] -> [1, 3]. Write all values into one study "
                      "file, run it in each of the folders with `scalestudy --results FOLDER run "
                      "FILE --accept-changes --max-trials 1`, and merge again"));
  for (const char* folder : {"one", "two"}) {
    require_run_of(folder, "[1, 2, 3]", {"--accept-changes", "--max-trials", "1"});
  }
  const ProgramResult now = merged();
  INFO(now.err);
  CHECK(now.exit_code == 0);
  CHECK_THAT(now.out, Contains("5 trials taken"));
}

TEST_CASE("a store that names files outside of its folder, or what it lacks, is not merged",
          "[cli]") {
  const Workspace workspace;
  REQUIRE(run_in(workspace, "one", {"run", workspace.study()}).exit_code == 0);
  const auto merge_after = [&](const std::string& sql) {
    std::filesystem::copy(
        workspace.file("one"), workspace.file("other"), std::filesystem::copy_options::recursive);
    SQLite::Database(workspace.file("other/results.db"), SQLite::OPEN_READWRITE).exec(sql);
    const ProgramResult result = run_in(workspace, "into", {"merge", workspace.file("other")});
    std::filesystem::remove_all(workspace.file("other"));
    return result;
  };

  const ProgramResult outside =
      merge_after("UPDATE cell SET hash = '../../../../outside' WHERE id = 1");
  CHECK(outside.exit_code == 2);
  CHECK_THAT(outside.err, Contains("nothing was merged"));
  CHECK_FALSE(std::filesystem::exists(workspace.file("outside-b0-a1")));
  const ProgramResult aside =
      merge_after("UPDATE cell SET hash = '../other/00000001' WHERE id = 1");
  CHECK(aside.exit_code == 2);
  CHECK_THAT(aside.err, Contains("nothing was merged"));
  CHECK_FALSE(std::filesystem::exists(workspace.file("into/logs/other")));
  const ProgramResult lacks = merge_after("UPDATE trial SET session_id = 999 WHERE id = 1");
  CHECK(lacks.exit_code == 2);
  CHECK_THAT(lacks.err, Contains("the session of a trial names 999, which its study lacks"));
}

TEST_CASE("copies of a store of version 1 are known again after each was brought up to date",
          "[cli]") {
  const Workspace workspace;
  for (const std::string name : {"one", "two"}) {
    std::filesystem::copy(SCALESTUDY_SOURCE_DIR "/tests/fixtures/version-1/results",
                          workspace.file(name),
                          std::filesystem::copy_options::recursive);
    REQUIRE(run_in(workspace, name, {"report", "v1-command"}).exit_code == 0);
  }

  const ProgramResult merged = run_in(workspace, "one", {"merge", workspace.file("two")});

  INFO(merged.err);
  CHECK(merged.exit_code == 0);
  CHECK_THAT(merged.out, Contains("/two: 0 trials taken"));
}

TEST_CASE("a text of a store that cannot be read is named before anything is merged", "[cli]") {
  const Workspace workspace;
  REQUIRE(run_in(workspace, "one", {"run", workspace.study()}).exit_code == 0);
  const std::string cannot_be = ": nothing was taken: a study text in the store cannot be read";
  const auto refused_after = [&](const std::string& sql) {
    SQLite::Database(workspace.file("one/results.db"), SQLite::OPEN_READWRITE).exec(sql);
    const ProgramResult result = run_in(workspace, "into", {"merge", workspace.file("one")});
    CHECK(result.exit_code == 2);
    return result.err;
  };

  CHECK_THAT(refused_after("UPDATE session SET study_text = 'version: 1'"),
             Contains(workspace.file("one") + ": study demo: the text of session 1" + cannot_be));
  CHECK_FALSE(std::filesystem::exists(workspace.file("into")));
  CHECK_THAT(refused_after("UPDATE study SET source_text = 'version: 1'"),
             Contains(workspace.file("one") + ": study demo: its text" + cannot_be));
}

TEST_CASE("a run of some blocks leaves the others planned, and goes on with them", "[cli]") {
  const Workspace workspace;
  const auto blocks = [&] {
    return workspace
        .run({"query",
              "--format",
              "csv",
              "SELECT block, state, count(*) AS n FROM trials GROUP BY block, state"})
        .out;
  };

  CHECK(workspace.run({"run", workspace.study(), "--blocks", "2-3"}).exit_code == 0);
  CHECK(blocks() == "block,state,n\n0,planned,4\n1,ok,4\n2,ok,4\n3,planned,4\n4,planned,4\n");
  CHECK_THAT(workspace.run({"status"}).out, Contains("demo: partly done: 8 trials done, 12 left"));
  CHECK(workspace.run({"run", workspace.study(), "--blocks", "5"}).exit_code == 0);
  CHECK(blocks() == "block,state,n\n0,planned,4\n1,ok,4\n2,ok,4\n3,planned,4\n4,ok,4\n");

  for (const char* wrong : {"0", "6", "3-2", "2-6", "x", "-1", "1-"}) {
    const ProgramResult refused =
        workspace.run({"run", workspace.study(), "--blocks=" + std::string(wrong)});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err,
               Contains("--blocks " + std::string(wrong) +
                        ": give a block, or FIRST-LAST, of the study's 1 to 5\n"));
  }
  const ProgramResult adaptive = workspace.run(
      {"run", workspace.study(), "--blocks", "1", "--set", "trials={min: 2, max: 5, until: 2%}"});
  CHECK(adaptive.exit_code == 2);
  CHECK_THAT(adaptive.err, Contains("--blocks 1: study demo stops by what its trials say"));
}

TEST_CASE("a run in a store of two plans leaves the logs of the other plan alone", "[cli]") {
  const Workspace workspace;
  for (const char* folder : {"results", "two"}) {
    REQUIRE(run_in(workspace,
                   folder,
                   {"run", workspace.study(), "--set", "trials.count=2", "--blocks", "1"})
                .exit_code == 0);
  }
  REQUIRE(workspace.run({"merge", workspace.file("two")}).exit_code == 0);

  REQUIRE(workspace.run({"run", "demo"}).exit_code == 0);  // the second block, once

  CHECK(query_row(workspace,
                  "SELECT count(*), count(DISTINCT path) FROM log WHERE stream = 'protocol'") ==
        "12,12\n");
}

TEST_CASE("parts of one study that were run apart are finished together", "[cli]") {
  const Workspace workspace;
  const auto run_part = [&](const std::string& folder, const std::string& blocks) {
    REQUIRE(run_in(workspace, folder, {"run", workspace.study(), "--blocks", blocks}).exit_code ==
            0);
  };
  run_part("one", "1-2");
  run_part("two", "3-4");
  REQUIRE(workspace.run({"merge", workspace.file("one"), workspace.file("two")}).exit_code == 0);

  CHECK_THAT(workspace.run({"status"}).out, Contains("demo: partly done: 16 trials done, 4 left;"));
  CHECK_THAT(workspace.run({"list", "--format", "csv"}).out,
             Contains("\ndemo,partly done,16,0,4,"));
  CHECK_THAT(workspace.run({"plan", "demo"}).err, Contains("demo: 4 of 20 trials are left, "));
  CHECK_THAT(workspace.run({"run", "demo"}).out, !Contains("Interim"));
  CHECK(query_row(workspace,
                  "SELECT count(*), count(DISTINCT plan) FROM trials WHERE state = 'ok'") ==
        "20,2\n");
  CHECK(query_row(workspace, "SELECT count(*) FROM trials") == "20\n");
  CHECK_THAT(workspace.run({"plan", "demo"}).err,
             Contains("demo: none of its 20 trials is left, "));
  CHECK_THAT(workspace.run({"merge", workspace.file("one")}).out,
             Contains("0 trials taken, 8 known"));
  CHECK(query_row(workspace, "SELECT count(*) FROM trials") == "20\n");
}

TEST_CASE("a source that is missing leaves no store behind", "[cli]") {
  const Workspace workspace;

  const ProgramResult merged = workspace.run({"merge", workspace.file("nowhere")});

  CHECK(merged.exit_code == 2);
  CHECK_THAT(merged.err, Contains(workspace.file("nowhere")));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
}

TEST_CASE("an edited program is told where the plans together are complete", "[cli]") {
  const Workspace workspace;
  const std::string script = workspace.file("work.sh");
  const auto write_script = [&](const std::string& ms) {
    write_file(script, "echo time " + ms + "\n");
  };
  write_script("20");
  write_file(workspace.study(),
             "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, " + script +
                 "]\nextract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)'}]\n"
                 "steps: {warmup: 0, measured: 1}\nvalidity: {calibration: none}\n"
                 "trials: {count: 2}\n");
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  usleep(1'100'000);
  REQUIRE(
      run_in(workspace, "two", {"run", workspace.study(), "--set", "trials.count=1"}).exit_code ==
      0);
  REQUIRE(workspace.run({"merge", workspace.file("two")}).exit_code == 0);
  write_script("40");

  const ProgramResult run = workspace.run({"run", "demo"});

  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err,
             Contains("study demo has changed") && Contains("work.sh") &&
                 Contains("No trial is left to run"));
}

TEST_CASE("a store from before limits were in the unit of their rule is merged", "[cli]") {
  const Workspace workspace;
  const auto write_limit = [&](const std::string& limit) {
    write_file(workspace.study(),
               "version: 1\nstudy: demo\nworkload: command\ncommand: [echo, took 8]\n"
               "extract: [{metric: step_time_s, from: wall_time}, {metric: latency_s, unit: ms, "
               "regex: 'took (\\S+)'}]\nanalysis: {metrics: [{metric: latency_s, better: lower}], "
               "within: {latency_s: " +
                   limit + "}}\nvalidity: {calibration: none}\ntrials: {count: 2}\n");
  };
  write_limit("9");
  REQUIRE(run_in(workspace, "two", {"run", workspace.study()}).exit_code == 0);
  // 9 ms was taken for 9 s.
  {
    SQLite::Database database(workspace.file("two") + "/results.db", SQLite::OPEN_READWRITE);
    database.exec("UPDATE study SET source_text = replace(source_text, ': 9}', ': 9 ms}')");
  }

  const ProgramResult merged = workspace.run({"merge", workspace.file("two")});

  INFO(merged.err);
  CHECK(merged.exit_code == 0);
  CHECK_THAT(merged.out, Contains("2 trials taken"));
  CHECK_THAT(workspace.run({"report", "demo"}).err, !Contains("does not match its hash"));

  // Into one where this version ran the same file, and the other way round.
  write_limit("9 ms");
  usleep(1'100'000);
  REQUIRE(run_in(workspace, "own", {"run", workspace.study()}).exit_code == 0);
  const auto rows = [&](const std::string& folder) {
    return run_in(workspace, folder, {"query", "SELECT hash, source_text, source_path FROM study"})
        .out;
  };
  const std::string own = rows("own");
  CHECK(own != rows("two"));
  for (const auto& [into, from] : {std::pair("own", "two"), std::pair("two", "own")}) {
    CAPTURE(into);
    const ProgramResult both = run_in(workspace, into, {"merge", workspace.file(from)});
    INFO(both.err);
    CHECK(both.exit_code == 0);
    CHECK(rows(into) == own);
    CHECK(run_in(workspace, into, {"query", "SELECT count(*) FROM trial", "--format", "csv"}).out ==
          "count(*)\n4\n");
  }
}

TEST_CASE("files that rules read and logs of setup come along with the trials of another store",
          "[cli]") {
  const Workspace workspace;
  const std::string file = workspace.file("out.txt");
  write_file(workspace.study(),
             "version: 1\nstudy: demo\nworkload: command\n"
             "command: [sh, -c, 'echo took 8 > " +
                 file + "']\nextract: [{metric: step_time_s, unit: ms, regex: 'took (\\S+)', " +
                 "from: {file: " + file +
                 "}}]\nsetup: [echo, ready]\nsteps: {warmup: 0, measured: 1}\n"
                 "validity: {calibration: none}\ntrials: {count: 2}\n");
  REQUIRE(run_in(workspace, "two", {"run", workspace.study()}).exit_code == 0);
  // Read once more: the new attempt shares the logs of the one before.
  const std::string per_s =
      "extract=[{metric: step_time_s, unit: s, regex: 'took (\\S+)', from: "
      "{file: " +
      file + "}}]";
  REQUIRE(
      run_in(workspace, "two", {"extract", workspace.study(), "--set", per_s, "--yes"}).exit_code ==
      0);
  REQUIRE(workspace.run({"merge", workspace.file("two")}).exit_code == 0);

  int logs_of_setup = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(workspace.results() + "/logs")) {
    const bool is_of_setup = entry.path().filename() == "setup.stdout";
    logs_of_setup += is_of_setup && read_file(entry.path().string()) == "ready\n" ? 1 : 0;
  }
  CHECK(logs_of_setup == 4);  // of two trials, and of their new attempts
  const ProgramResult read =
      workspace.run({"extract", workspace.study(), "--set", per_s, "--check"});

  INFO(read.out << read.err);
  CHECK_THAT(read.err, Contains("0 of 2 trials changed, 0 left alone"));
}
