// Black box: secrets of studies that are exported, imported, merged and run elsewhere.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;
using Catch::Contains;
using namespace scalestudy::test;

namespace {

// Each trial prints whether it has a token, and not which.
std::string study_with(const std::string& token) {
  return "version: 1\nstudy: demo\nworkload: command\n"
         "command: [sh, -c, 'case $TOK in ?secret?) echo step 999 ms;; *) echo step 5 ms;; esac', "
         "x, '{devices}']\naxes: {devices: [1, 2]}\n"
         "extract: [{metric: step_time_s, unit: ms, regex: 'step (\\S+) ms'}]\n"
         "steps: {warmup: 0, measured: 1}\ntrials: 1\nvalidity: {calibration: none}\n"
         "secret: [TOK]\nenv: {TOK: " +
         token + "}\n";
}

// Its cells are told apart by a secret, too.
std::string study_with_keys(const std::string& token, const std::string& keys) {
  std::string text = study_with(token);
  text.replace(text.find("devices: [1, 2]"), 15, "devices: [1, 2], env.KEY: [" + keys + "]");
  return text.replace(text.find("[TOK]"), 5, "[TOK, KEY]");
}

// Every file below, one after the other.
std::string all_text(const std::string& folder) {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    text += entry.is_regular_file() ? read_file(entry.path()) : "";
  }
  return text;
}

void run_well(const Workspace& workspace,
              const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment = {}) {
  const ProgramResult ran = workspace.run(arguments, environment);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
}

}  // namespace

TEST_CASE("a report hides each of several secrets that Markdown or LaTeX writes with escapes",
          "[cli]") {
  std::string text = study_with("'aa*zebra_secret', OTHER: 'zz*lynx_'");
  text.replace(text.find("[TOK]"), 5, "[TOK, OTHER]");
  const std::string both = "aa*zebra_secret and zz*lynx_s";  // "_" has no escape between letters
  const Workspace workspace(text + "title: " + both + "\nreport: {labels: {devices: " + both +
                            "}}\n");
  run_well(workspace, {"run", workspace.study()});
  run_well(workspace, {"report", "demo", "--html", "--latex"});

  const std::string report = read_file(workspace.results() + "/reports/demo/report.md");
  CHECK_THAT(report, Contains("# (secret) and (secret)s\n"));
  CHECK_THAT(all_text(workspace.results() + "/reports"), !Contains("zebra") && !Contains("lynx"));
}

TEST_CASE("a table in Markdown hides a secret that it writes with escapes", "[cli]") {
  const Workspace workspace(study_with_keys("plainsecret99", "'aa*zebra', 'zz*lynx'"));

  const ProgramResult planned = workspace.run({"plan", workspace.study(), "--format", "markdown"});

  CHECK(planned.exit_code == 0);
  CHECK_THAT(planned.out, Contains("(secret)") && !Contains("zebra") && !Contains("lynx"));
}

TEST_CASE("what a session ran with stays secret after the study file has another value", "[cli]") {
  const Workspace workspace(study_with_keys("oldsecret111", "oldkey-secret111"));
  run_well(workspace, {"run", workspace.study()});
  write_file(workspace.study(), study_with_keys("newsecret222", "newkey-secret222"));

  const ProgramResult refused = workspace.run({"run", workspace.study()});
  run_well(workspace, {"run", workspace.study(), "--accept-changes", "--set", "trials.count=2"});
  run_well(workspace, {"export", "demo", workspace.file("x")});
  run_well(workspace, {"report", "demo", "--html", "--latex"});

  CHECK_THAT(refused.err, Contains("env.TOK: (secret) -> another secret"));
  const std::string reports = all_text(workspace.results() + "/reports");
  CHECK_THAT(reports,
             Contains("env.KEY=(secret)") && !Contains("secret111") && !Contains("secret222"));
  CHECK_THAT(all_text(workspace.file("x")), !Contains("secret111") && !Contains("secret222"));
  CHECK_THAT(query_csv(workspace, "SELECT study_text FROM session"),
             !Contains("secret111") && Contains("(secret)"));
}

TEST_CASE("an imported study runs with the secret of the environment, or not at all", "[cli]") {
  const Workspace workspace(study_with("plainsecret99"));
  run_well(workspace, {"run", workspace.study()});
  run_well(workspace, {"export", "demo", workspace.file("x")});
  const Workspace there(study_with("plainsecret99"));

  run_well(there, {"import", workspace.file("x")});
  const ProgramResult refused = there.run({"run", "demo", "--set", "trials.count=2"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("set the environment variable TOK"));
  run_well(there, {"run", "demo"});         // it is complete
  run_well(there, {"run", there.study()});  // its own file: the same study
  run_well(there, {"run", "demo", "--set", "trials.count=2"}, {"TOK=own-token"});
  run_well(there, {"run", there.study(), "--set", "trials.count=3"});
  CHECK(query_row(there, "SELECT count(*) FROM trials WHERE state = 'ok'") == "6\n");

  const Workspace other;
  const ProgramResult unset = other.run({"reproduce", workspace.file("x"), "--yes"});
  CHECK(unset.exit_code == 2);
  CHECK_THAT(unset.err, Contains("set the environment variable TOK"));
  CHECK(other.run({"reproduce", workspace.file("x"), "--yes"}, {"TOK=own-token"}).exit_code != 2);
  for (const Workspace* each : {&there, &other}) {
    CHECK(query_row(*each, "SELECT count(*) FROM trials WHERE step_time_s_mean > 0.1") == "0\n");
    CHECK_THAT(all_text(each->results() + "/logs"), !Contains("own-token"));
  }
}

TEST_CASE("a study file may say (secret) in its command", "[cli]") {
  std::string text = study_with("plainsecret99");
  text.replace(text.find("', x,"), 1, "; echo \"the token is (secret)\"'");
  const Workspace workspace(text);

  run_well(workspace, {"run", workspace.study()});

  const ProgramResult stored = workspace.run({"run", "demo", "--set", "trials.count=2"});
  CHECK(stored.exit_code == 2);  // of a stored one nobody knows what an export left out
  CHECK_THAT(stored.err, Contains("run it from the file that has it"));
}

TEST_CASE("pruned trials of a study with secrets come back from its export", "[cli]") {
  const Workspace workspace(study_with_keys("plainsecret99", "key-one, key-two"));
  run_well(workspace, {"run", workspace.study()});
  run_well(workspace, {"run", workspace.study(), "--set", "trials.count=2"});
  run_well(workspace, {"export", "demo", workspace.file("x")});
  run_well(workspace, {"prune", "demo", "--keep", "1", "--trials", "--yes"});
  const Workspace backup;
  run_well(backup, {"import", workspace.file("x")});

  run_well(workspace, {"merge", backup.results()});

  CHECK(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'ok'") == "8\n");
  CHECK(query_row(workspace,
                  "SELECT count(DISTINCT value) FROM parameters WHERE name = 'env.KEY'") == "2\n");
  CHECK(query_row(workspace, "SELECT count(DISTINCT label) FROM trials") == "4\n");
  run_well(workspace, {"run", "demo"});  // it has its secrets still
  const ProgramResult left_out = backup.run({"run", "demo"}, {"TOK=own-token", "KEY=own-key"});
  CHECK(left_out.exit_code == 2);
  CHECK_THAT(left_out.err, Contains("secret parameter env.KEY: run it from the file"));
  CHECK(query_row(backup, "SELECT count(*) FROM trials WHERE state != 'ok'") == "0\n");
}

TEST_CASE("a study with a secret that has more trials since merges with its export", "[cli]") {
  const Workspace workspace(study_with("plainsecret99"));
  run_well(workspace, {"run", workspace.study()});
  run_well(workspace, {"export", "demo", workspace.file("x")});
  run_well(workspace, {"run", workspace.study(), "--set", "trials.count=2"});
  const Workspace backup;
  run_well(backup, {"import", workspace.file("x")});

  run_well(workspace, {"merge", backup.results()});

  run_well(workspace, {"run", "demo", "--set", "trials.count=3"});
}
