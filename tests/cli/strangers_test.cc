// Black box: whatever a stranger's store, export or folder says, nothing is written, started or
// shown that its reader did not ask for.
#include "tests/cli/strangers.h"

#include <filesystem>
#include <string>

#include <sys/file.h>

using Catch::Contains;
using namespace scalestudy::test;
namespace fs = std::filesystem;

TEST_CASE("a name that no study may have comes from no store, and names no file", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  for (const std::string name : {"../../../victim", "a b", "-rf", "{{title}}", "Demo"}) {
    CAPTURE(name);
    fs::remove_all(workspace.file("theirs"));
    fs::copy(workspace.results(), workspace.file("theirs"), fs::copy_options::recursive);
    change(workspace.file("theirs"), "UPDATE study SET name = '" + name + "'");

    const ProgramResult merged = run_in(workspace, "into", {"merge", workspace.file("theirs")});
    CHECK(merged.exit_code == 2);
    CHECK_THAT(merged.err, Contains("the study name \"" + name + "\" is not allowed"));
    CHECK(run_in(workspace, "theirs", {"report", "--", name}).exit_code == 2);
    CHECK(
        run_in(workspace, "theirs", {"export", "--all", workspace.file("out/deep/x")}).exit_code ==
        2);
    // Both of one: the text says it, too.
    change(workspace.file("theirs"),
           "UPDATE study SET source_text = replace(source_text, 'study: demo', 'study: \"" + name +
               "\"'), name = 'demo'");
    for (const std::vector<std::string>& verb : {std::vector<std::string>{"run", "demo"},
                                                 {"report", "demo"},
                                                 {"merge", workspace.file("theirs")}}) {
      CHECK(run_in(workspace, verb[0] == "merge" ? "into" : "theirs", verb).exit_code == 2);
    }
  }
  CHECK_FALSE(exists_below(workspace.file(""), "victim"));
}

TEST_CASE("a study with a name of no study holds up no other, and can be removed", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  change(workspace.results(),
         "INSERT INTO study(name, title, hash, source_path, source_text, scaling) "
         "SELECT '../../victim', title, hash, source_path, source_text, scaling FROM study");

  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"list"}, {"status"}, {"publish", workspace.file("site")}}) {
    CAPTURE(verb.front());
    const ProgramResult result = workspace.run(verb);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, Contains("left out a study: its name \"../../victim\" is not allowed"));
    CHECK_THAT(result.err, Contains("remove --misnamed`"));
  }
  CHECK(fs::exists(workspace.file("site/studies/demo/index.html")));
  CHECK(workspace.run({"remove", "--misnamed"}).exit_code == 2);  // nobody could be asked
  CHECK_THAT(workspace.run({"remove", "demo", "--misnamed"}).err,
             Contains("give either a study or --misnamed"));
  CHECK(workspace.run({"remove", "--misnamed", "--yes"}).exit_code == 0);
  CHECK(workspace.run({"list"}).err.empty());
  CHECK(workspace.run({"report", "demo"}).exit_code == 0);
}

TEST_CASE("a study is removed with its trials and outputs, when nothing runs and one says so",
          "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  write_file(workspace.file("other.yaml"), replaced(study_text(), "study: demo", "study: other"));
  REQUIRE(workspace.run({"run", workspace.file("other.yaml")}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  REQUIRE(workspace.run({"annotate", "1", "a remark"}).exit_code == 0);
  const auto counted = [&](const std::string& table) {
    return workspace.run({"query", "--format", "csv", "SELECT count(*) AS n FROM " + table}).out;
  };

  const ProgramResult unasked = workspace.run({"remove", "demo"});
  CHECK(unasked.exit_code == 2);
  CHECK_THAT(
      unasked.err,
      Contains("demo: 20 attempts of 1 session, and their outputs in ") && Contains("--yes"));
  {
    const int lock = open((workspace.results() + "/lock").c_str(), O_RDWR);
    REQUIRE(flock(lock, LOCK_EX) == 0);
    CHECK(workspace.run({"remove", "demo", "--yes"}).exit_code == 75);
    close(lock);
  }
  CHECK(counted("trial") == "n\n40\n");

  const ProgramResult removed = workspace.run({"remove", "demo", "--yes"});

  INFO(removed.err);
  CHECK(removed.exit_code == 0);
  CHECK_FALSE(fs::exists(workspace.results() + "/results.db-wal"));  // the file alone lacks them
  CHECK(workspace.run({"list", "--format", "csv"}).out.find("demo") == std::string::npos);
  CHECK(counted("trial") == "n\n20\n");
  CHECK(counted("annotation") == "n\n0\n");
  CHECK_FALSE(fs::exists(workspace.results() + "/logs/demo"));
  CHECK(fs::exists(workspace.results() + "/logs/other"));
  CHECK(workspace.run({"report", "other"}).exit_code == 0);
  CHECK(workspace.run({"remove", "demo", "--yes"}).exit_code == 2);
  CHECK(workspace.run({"remove"}).exit_code == 2);
  CHECK(workspace.run({"run", workspace.study(), "--max-trials", "2"}).exit_code == 0);
}

TEST_CASE("remove leaves outputs behind a link, and says so", "[cli]") {
  const Workspace workspace;
  const std::string logs = workspace.results() + "/logs";
  for (const std::string& link : {logs + "/demo", logs}) {
    require_run(workspace);
    fs::rename(link, workspace.file("kept"));
    fs::create_directory_symlink(workspace.file("kept"), link);

    const ProgramResult removed = workspace.run({"remove", "demo", "--yes"});

    INFO(removed.err);
    CHECK(removed.exit_code == 0);
    CHECK(removed.out == "demo: 20 attempts of 1 session; their outputs in " + logs +
                             "/demo stay, because " + link + " is a link\n");
    CHECK_FALSE(fs::is_empty(logs + "/demo"));
    fs::remove(link);
    fs::remove_all(workspace.file("kept"));
  }
}

TEST_CASE("remove asks on a terminal, and does nothing without a yes", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  std::string command;
  for (const std::string& word : workspace.argv({"remove", "demo"})) {
    command += word + " ";
  }

  run_program({"script", "-qec", command, "/dev/null"}, {}, "n\n");
  CHECK_THAT(workspace.run({"list"}).out, Contains("demo"));
  run_program({"script", "-qec", command, "/dev/null"}, {}, "y\n");
  CHECK_THAT(workspace.run({"list"}).out, !Contains("demo"));
}

TEST_CASE("reproduce shows what a stranger's study starts, and starts nothing unasked", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  const std::string touched = workspace.file("touched");
  write_file(workspace.file("hostile.yaml"),
             study_text() + "on_finish: [touch, \"" + touched + "\"]\nsetup: [touch, \"" + touched +
                 "\"]\nenv: {LD_PRELOAD: /evil.so}\n");
  REQUIRE(run_in(workspace, "first", {"run", workspace.file("hostile.yaml")}).exit_code == 0);
  REQUIRE(run_in(workspace, "first", {"export", "demo", workspace.file("x")}).exit_code == 0);
  fs::remove(touched);

  const ProgramResult asked = run_in(workspace, "mine", {"reproduce", workspace.file("x")});

  CHECK(asked.exit_code == 2);
  CHECK_THAT(asked.err, Contains("setup: touch " + touched) && Contains("on_finish: touch"));
  CHECK_THAT(asked.err, Contains("trainer.sh") && Contains("env.LD_PRELOAD: /evil.so"));
  CHECK_THAT(asked.err, Contains("--yes"));
  CHECK_FALSE(fs::exists(touched));
  CHECK_FALSE(fs::exists(workspace.file("mine")));
}

TEST_CASE("reproduce writes no file for a study that is none, nor over another one", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo", "--output", workspace.file("report")}).exit_code == 0);
  const auto reproduced = [&](const std::string& folder) {
    return run_in(workspace, "deep/mine", {"reproduce", workspace.file(folder), "--yes"});
  };
  fs::create_directories(workspace.file("deep/mine"));
  write_file(workspace.file("deep/mine/demo.yaml"), "my own\n");
  CHECK_THAT(reproduced("x").err, Contains("another study file is there"));
  CHECK(read_file(workspace.file("deep/mine/demo.yaml")) == "my own\n");

  // The folder of an export is named like its study; a page says its name itself.
  replace_in(workspace.file("report/details.md"), "study: demo", "study: ../../victim");
  replace_in(workspace.file("report/details.md"), "Study `demo`", "Study `../../victim`");
  CHECK(reproduced("report").exit_code == 2);
  replace_in(workspace.file("x/demo/study.yaml"), "workload: command", "workload: nonsense");
  CHECK(reproduced("x").exit_code == 2);
  CHECK_FALSE(exists_below(workspace.file(""), "victim"));
}

TEST_CASE("an export is held to its names and hashes", "[cli]") {
  const Workspace workspace;
  require_run(workspace);
  const auto import_after =
      [&](const std::string& file, const std::string& from, const std::string& to) {
        fs::remove_all(workspace.file("x"));
        REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);
        replace_in(workspace.file("x/" + file), from, to);
        return run_in(workspace, "theirs", {"import", workspace.file("x")});
      };

  const ProgramResult text = import_after("demo/study.yaml", "measured: 10", "measured: 9");
  CHECK(text.exit_code == 2);
  CHECK_THAT(text.err, Contains("study demo: its text does not match its hash"));
  const ProgramResult name = import_after("demo/study.yaml", "study: demo", "study: other");
  CHECK(name.exit_code == 2);
  CHECK_THAT(name.err, Contains("study demo: its text is that of a study other"));
  CHECK(import_after("demo/study.json", "\"hash\": \"", "\"hash\": \"0").exit_code == 2);
  const ProgramResult session = import_after("demo/sessions.jsonl", "measured: 10", "measured: 9");
  CHECK(session.exit_code == 2);
  CHECK_THAT(session.err,
             Contains("study demo: the text of session 1 does not match its hash") &&
                 Contains("nothing was taken"));
  CHECK(import_after("export.json", "\"demo\"", "\"..\"").exit_code == 2);
  CHECK_FALSE(fs::exists(workspace.file("theirs/results.db")));

  // In a store the same.
  change(workspace.results(),
         "UPDATE study SET source_text = replace(source_text, 'measured: 10', 'measured: 9')");
  CHECK_THAT(workspace.run({"report", "demo"}).err, Contains("does not match its hash"));
  CHECK_THAT(workspace.run({"report", "demo", "--check"}).err, Contains("does not match its hash"));
  const ProgramResult store = run_in(workspace, "into", {"merge", workspace.results()});
  CHECK(store.exit_code == 2);
  CHECK_THAT(store.err, Contains("its text does not match its hash"));
}
