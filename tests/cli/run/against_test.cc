// Black box: `run --against`, a study beside itself as of another commit or in another environment.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::search_path;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// A repository with a script that "takes" $1 ms a step, written down and not waited for, with a
// spread of a few percent that differs from trial to trial.
class Repository {
 public:
  explicit Repository(const Workspace& workspace) : folder_(workspace.file("repository")) {
    std::filesystem::create_directories(folder_ + "/src");
    git({"init", "--quiet", "--initial-branch=main"});
    git({"config", "user.email", "somebody@example.com"});
    git({"config", "user.name", "Somebody"});
  }

  // Returns the commit's full hash.
  std::string commit(int step_ms) const {
    write_script(step_ms);
    git({"add", "--all"});
    git({"commit", "--quiet", "--allow-empty", "--message", "A step takes another time"});
    return git({"rev-parse", "HEAD"}).substr(0, 40);
  }

  void write_script(int step_ms) const {
    write_file(script(),
               "#!/bin/sh\nfor i in 1 2 3 4; do echo \"time " + std::to_string(step_ms) +
                   ".$(((SCALESTUDY_TRIAL * 7 + i * 3) % 10))\"; done\n"
                   "echo \"WHERE $PWD ${LIBRARY:-none}\"\n");
    std::filesystem::permissions(script(), std::filesystem::perms::owner_all);
  }

  std::string git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"git", "-C", folder_});
    const ProgramResult result = scalestudy::test::run_program(arguments);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  }

  std::string study() const {
    return "version: 1\nstudy: demo\nworkload: command\ncommand: [./step.sh, '{size}']\ncwd: " +
           folder_ +
           "/src\nextract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
           "axes: {size: [1, 2]}\nsteps: {warmup: 1, measured: 3}\nvalidity: {calibration: "
           "none}\ntrials: {count: 6}\n"
           "analysis: {baseline: {size: 1}, targets: [{name: t, metric: speedup, at_least: 1}]}\n";
  }

  std::string script() const { return folder_ + "/src/step.sh"; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

nlohmann::json compared(const Workspace& workspace, const std::string& study) {
  const ProgramResult result = workspace.run({"compare", study, "--format", "json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out);
}

}  // namespace

TEST_CASE("a commit that is slower than the one before is found within one session", "[cli]") {
  const Workspace workspace("");
  const Repository repository(workspace);
  const std::string before = repository.commit(20);
  repository.commit(22);
  write_file(workspace.study(), repository.study());

  const ProgramResult run = workspace.run({"run", workspace.study(), "--against", "HEAD~1"});

  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.err, !Contains("in no commit") && Contains("1 target of demo is not judged"));
  CHECK_THAT(run.out, Contains("slower"));
  const std::string name = "demo-against-" + before.substr(0, 8);
  const nlohmann::json pairs = compared(workspace, name);
  REQUIRE(pairs.size() == 2);
  for (const nlohmann::json& pair : pairs) {
    CHECK(pair["side"] == "here");
    CHECK(pair["against"] == before.substr(0, 8));
    CHECK(pair["verdict"] == "slower");
    CHECK(pair["speedup"].get<double>() == Approx(20.45 / 22.45).epsilon(0.02));
    CHECK(pair["speedup_hi"].get<double>() < 1.0);
    CHECK_THAT(pair["label"].get<std::string>(), Contains("side=here"));
    CHECK(pair["n"] == 6);
    CHECK(pair["method"] == "log_ratio_delta_paired");
  }
  CHECK(workspace.run({"compare", name, "--gate"}).exit_code == 4);

  // Each side ran its own files, in turns: every block of the one session has both.
  const ProgramResult blocks = workspace.run(
      {"query",
       "SELECT count(*) AS n, count(DISTINCT session) AS sessions FROM trials WHERE study = '" +
           name + "' AND state = 'ok' GROUP BY block",
       "--format",
       "csv"});
  CHECK(blocks.out == "n,sessions\n4,1\n4,1\n4,1\n4,1\n4,1\n4,1\n");
  const ProgramResult facts =
      workspace.run({"query",
                     "SELECT name, value FROM environments WHERE name LIKE 'side.%' ORDER BY name",
                     "--format",
                     "csv"});
  CHECK_THAT(facts.out, Contains("side." + before.substr(0, 8) + "," + before));

  // The user's repository is as it was, and a second call goes on with the same study.
  CHECK(repository.git({"status", "--porcelain"}).empty());
  const ProgramResult again =
      workspace.run({"run", workspace.study(), "--against", before, "--gate"});
  CHECK(again.exit_code == 4);
  CHECK_THAT(again.err, Contains(name + ": 24 ok"));
  std::vector<std::string> reasons = scalestudy::test::lines_of(again.err);
  std::erase_if(reasons, [](const std::string& line) { return !line.starts_with("--gate: "); });
  REQUIRE(reasons.size() == 2);
  CHECK_THAT(reasons[0], Contains("size 1") && Contains(": slower by more than 2 %"));
  CHECK_THAT(reasons[1], Contains("size 2") && Contains(": slower by more than 2 %"));
  CHECK(workspace.run({"report", name}).exit_code == 0);
}

TEST_CASE("of an unchanged commit no difference is claimed", "[cli]") {
  const Workspace workspace("");
  const Repository repository(workspace);
  repository.commit(20);
  write_file(workspace.study(), repository.study());

  const ProgramResult run = workspace.run({"run", workspace.study(), "--against", "main"});

  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const nlohmann::json pairs =
      compared(workspace, "demo-against-" + repository.git({"rev-parse", "HEAD"}).substr(0, 8));
  REQUIRE(pairs.size() == 2);
  for (const nlohmann::json& pair : pairs) {
    CHECK(pair["verdict"] != "faster");
    CHECK(pair["verdict"] != "slower");
  }
}

TEST_CASE("changes that are in no commit run on the side here, and are named", "[cli]") {
  const Workspace workspace("");
  const Repository repository(workspace);
  repository.commit(20);
  repository.write_script(24);
  write_file(workspace.study(), repository.study());

  const ProgramResult run = workspace.run({"run", workspace.study(), "--against", "HEAD"});

  CHECK_THAT(run.err, Contains("changes that are in no commit, and runs with them: src/step.sh"));
  CHECK_THAT(run.out, Contains("slower"));
  CHECK_THAT(workspace
                 .run({"query",
                       "SELECT value FROM environments WHERE name = 'side.here'",
                       "--format",
                       "csv"})
                 .out,
             Contains("-dirty"));

  SECTION("another edit between sessions is another program") {
    repository.write_script(26);
    const ProgramResult more =
        workspace.run({"run", workspace.study(), "--against", "HEAD", "--set", "trials.count=7"});
    CHECK(more.exit_code == 2);
    CHECK_THAT(more.err, Contains("./step.sh is not the file that the last session ran"));
  }
  SECTION("trials of before are no answer about another edit") {
    repository.write_script(26);
    const std::vector<std::string> again = {"run", workspace.study(), "--against", "HEAD"};
    const ProgramResult told = workspace.run(again);
    CHECK(told.exit_code == 0);
    CHECK_THAT(told.err, Contains("./step.sh is not the file") && Contains("No trial is left"));
    const ProgramResult judged = workspace.run(
        {"run", workspace.study(), "--against", "HEAD", "--gate", "--accept-changes"});
    CHECK(judged.exit_code == 2);
    CHECK_THAT(judged.out, !Contains("slower"));
  }
  SECTION("a study without sides says that its answer is older, and no gate takes it") {
    REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
    repository.write_script(26);
    const ProgramResult again = workspace.run({"run", workspace.study()});
    CHECK(again.exit_code == 0);
    CHECK_THAT(again.err, Contains("warning: study demo has changed") && Contains("as it was"));
    CHECK(workspace.run({"run", workspace.study(), "--gate"}).exit_code == 2);
  }
  SECTION("nor does a gate take it for another commit, whose changes may be in a module") {
    REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
    REQUIRE(workspace.run({"run", workspace.study(), "--gate"}).exit_code == 5);  // undecided
    write_file(repository.folder() + "/src/module.sh", "sleep 1\n");
    repository.commit(24);
    CHECK(workspace.run({"run", workspace.study()}).exit_code == 0);
    const ProgramResult judged = workspace.run({"run", workspace.study(), "--gate"});
    CHECK(judged.exit_code == 2);
    CHECK_THAT(judged.err, Contains("the program's repository is at "));
  }
}

TEST_CASE("a commit's side finds its own modules, and tells its own versions", "[cli]") {
  const Workspace workspace("");
  const Repository repository(workspace);
  const auto write_module = [&](const std::string& version) {
    write_file(repository.folder() + "/src/version.sh", "echo " + version + "\n");
  };
  write_module("old");
  repository.commit(20);
  write_module("new");
  repository.commit(20);
  write_file(workspace.study(),
             repository.study() + "versions: {module: [sh, -c, '. version.sh']}\n");
  const std::string before = search_path();
  setenv("PATH", (repository.folder() + "/src:" + before).c_str(), 1);

  const ProgramResult run =
      workspace.run({"run", workspace.study(), "--against", "HEAD~1", "--set", "trials.count=1"});

  setenv("PATH", before.c_str(), 1);
  INFO(run.err);
  CHECK(run.exit_code == 0);
  const ProgramResult told = workspace.run(
      {"query",
       "SELECT value FROM environments WHERE name LIKE 'version.%:module' ORDER BY name = "
       "'version.here:module'",
       "--format",
       "csv"});
  CHECK(told.out == "value\nold\nnew\n");
}

TEST_CASE("what is no commit and nothing else is refused with what is allowed", "[cli]") {
  const Workspace workspace("");
  const Repository repository(workspace);
  repository.commit(20);
  write_file(workspace.study(), repository.study());

  const ProgramResult unknown = workspace.run({"run", workspace.study(), "--against", "nonsense"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("--against nonsense: no commit of " + repository.folder()));

  SECTION("files and words that are no variables, and a prefix without words") {
    const std::string file = workspace.file("old.env");
    const auto told = [&](const std::vector<std::string>& against) {
      std::vector<std::string> arguments{"run", workspace.study()};
      for (const std::string& side : against) {
        arguments.insert(arguments.end(), {"--against", side});
      }
      return refusal_of(workspace, arguments);
    };
    write_file(file, "# the library before\n\n");
    CHECK_THAT(told({file}), Contains("--against " + file + ": no variables in the file"));
    write_file(file, "LIBRARY=/opt/old\nmodule load old\n");
    CHECK_THAT(told({file}),
               Contains("--against " + file + ": the line \"module load old\" is not NAME=VALUE"));
    CHECK_THAT(told({"LIBRARY=/opt/old", "nonsense"}),
               Contains("--against nonsense: several are variables, NAME=VALUE, or files of them"));
    CHECK_THAT(told({"prefix:"}), Contains("--against prefix: needs words, e.g. "));
  }
  SECTION("a file by its whole path would be the same on both sides") {
    std::string text = repository.study();
    text.replace(text.find("./step.sh"), 9, repository.script());
    write_file(workspace.study(), text);
    const ProgramResult run = workspace.run({"run", workspace.study(), "--against", "HEAD"});
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Contains("every side would take it from there"));
  }
  SECTION("a study outside of any repository") {
    std::string text = repository.study();
    text.replace(text.find(repository.folder() + "/src"), repository.folder().size() + 4, "/tmp");
    write_file(workspace.study(), text);
    const ProgramResult run = workspace.run({"run", workspace.study(), "--against", "HEAD"});
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Contains("is in no git repository"));
  }
}

TEST_CASE("build makes each side's program, once a session", "[cli]") {
  const Workspace workspace("");
  const Repository repository(workspace);
  repository.commit(20);
  write_file(workspace.study(),
             repository.study() + "build: [sh, -c, 'cp step.sh made.sh && pwd >> " +
                 workspace.file("built") + "']\n");
  std::string text = scalestudy::test::read_file(workspace.study());
  text.replace(text.find("./step.sh"), 9, "./made.sh");
  write_file(workspace.study(), text);

  CHECK(workspace.run({"run", workspace.study(), "--against", "HEAD"}).exit_code == 0);

  const std::string built = scalestudy::test::read_file(workspace.file("built"));
  CHECK(std::count(built.begin(), built.end(), '\n') == 2);
  CHECK_THAT(built, Contains(repository.folder() + "/src\n"));
  CHECK_THAT(built, Contains("/checkouts/"));

  SECTION("where it fails, nothing is run") {
    const ProgramResult failed = workspace.run(
        {"run", workspace.study(), "--set", "build=[sh, -c, 'echo no compiler >&2; exit 3']"});
    CHECK(failed.exit_code == 2);
    CHECK_THAT(failed.err, Contains("build in " + repository.folder() + "/src: exit code 3"));
    CHECK_THAT(failed.err, Contains("no compiler"));
  }
}

TEST_CASE("another environment and a prefix are sides as well", "[cli][slow]") {
  const Workspace workspace("");
  const Repository repository(workspace);
  repository.commit(20);
  write_file(workspace.study(), repository.study());
  write_file(workspace.file("old.env"), "# the library before\nLIBRARY=/opt/old\n");
  const auto printed = [&] {
    std::string all;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(workspace.results() + "/logs")) {
      if (entry.path().filename() == "stdout") {
        all += scalestudy::test::read_file(entry.path());
      }
    }
    return all;
  };

  SECTION("variables of a file") {
    const ProgramResult run =
        workspace.run({"run", workspace.study(), "--against", workspace.file("old.env")});
    CAPTURE(run.err);
    CHECK(run.exit_code == 0);
    CHECK_THAT(printed(), Contains("src /opt/old\n"));
    CHECK_THAT(printed(), Contains("src none\n"));
  }
  SECTION("variables by hand") {
    const ProgramResult run =
        workspace.run({"run", workspace.study(), "--against", "LIBRARY=/opt/new"});
    CHECK(run.exit_code == 0);
    CHECK_THAT(run.out, Contains("\nSide env-") && Contains(": LIBRARY=/opt/new.\n"));
    CHECK_THAT(printed(), Contains("src /opt/new\n"));
  }
  SECTION("a prefix") {
    CHECK(workspace.run({"run", workspace.study(), "--against", "prefix: env LIBRARY=/inside"})
              .exit_code == 0);
    CHECK_THAT(printed(), Contains("src /inside\n"));
    CHECK_THAT(printed(), Contains("src none\n"));
  }
}
