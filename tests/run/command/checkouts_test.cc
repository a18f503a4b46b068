#include "harness/run/command/checkouts.h"

#include "harness/base/error.h"
#include "harness/host/git_state.h"
#include "harness/run/attempt/provenance.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
namespace fs = std::filesystem;

namespace {

// A repository of two commits that differ in the file "level", tagged v1 and v2.
struct TwoCommits {
  TwoCommits()
      : repository(fs::canonical(folder.path()) / "repository"), results(folder.path() / "r") {
    fs::create_directories(repository / "deep");
    git({"init", "--quiet"});
    for (const std::string level : {"1", "2"}) {
      test::write_file(repository / "level", level);
      git({"add", "--all"});
      git({"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x"});
      git({"tag", "v" + level});
    }
    study.workload = Workload::kCommand;
    study.working_folder = (repository / "deep" / "{size}").string();
    study.sides = {{.name = "old", .commit = "v1", .environment = {}, .prefix = {}},
                   {.name = "here", .commit = "", .environment = {}, .prefix = {}}};
  }

  void git(const std::vector<std::string>& arguments) const {
    const GitAnswer answer = run_git(repository, arguments);
    CAPTURE(answer.output);
    REQUIRE(answer.exit_code == 0);
  }

  test::TemporaryFolder folder;
  fs::path repository;
  fs::path results;
  Study study;
};

}  // namespace

TEST_CASE("a side's commit lies in the results folder, and stays", "[run]") {
  const TwoCommits room;
  const auto checkouts = make_checkouts(room.study, room.results);

  REQUIRE(checkouts.size() == 1);
  const Checkout& old = checkouts.at("old");
  CHECK(old.repository == room.repository);
  CHECK(test::read_file(old.folder / "level") == "1");
  CHECK(test::read_file(room.repository / "level") == "2");
  const auto facts = side_facts(room.study, checkouts);
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].name == "side.old");
  CHECK(facts[0].value == find_commit(room.repository, "v1"));
  CHECK(facts[1].value == find_commit(room.repository, "v2"));

  // What a build left there is not made anew; what was changed is told.
  test::write_file(old.folder / "built", "object");
  test::write_file(old.folder / "level", "3");
  make_checkouts(room.study, room.results);
  CHECK(test::read_file(old.folder / "built") == "object");
  CHECK(side_facts(room.study, checkouts)[0].value ==
        *find_commit(room.repository, "v1") + "-dirty");
}

TEST_CASE("a checkout that a killed run left half made is made anew", "[run]") {
  const TwoCommits room;
  const fs::path folder = make_checkouts(room.study, room.results).at("old").folder;
  fs::remove(folder.string() + ".complete");
  fs::remove(folder / "level");
  test::write_file(folder / "rest", "");

  CHECK(make_checkouts(room.study, room.results).at("old").folder == folder);
  CHECK(test::read_file(folder / "level") == "1");
  CHECK_FALSE(fs::exists(folder / "rest"));

  fs::remove_all(room.results);  // and one whose folder was removed by hand
  CHECK(test::read_file(make_checkouts(room.study, room.results).at("old").folder / "level") ==
        "1");
}

TEST_CASE("what cannot be a side's commit is an error that says why", "[run]") {
  TwoCommits room;
  CHECK(make_checkouts(Study(), room.results).empty());
  room.study.command = {"python3", room.repository.string() + "/train.py"};
  CHECK_THROWS_WITH(make_checkouts(room.study, room.results),
                    Catch::Contains("every side would take it from there"));
  room.study.command = {"python3", "train.py"};
  room.study.sides[0].commit = "v3";
  CHECK_THROWS_WITH(make_checkouts(room.study, room.results), Catch::Contains("has no commit v3"));
  room.study.sides[0].commit = "--all";
  CHECK_THROWS_AS(make_checkouts(room.study, room.results), Error);
  room.study.working_folder = "/";
  CHECK_THROWS_WITH(make_checkouts(room.study, room.results),
                    Catch::Contains("is in no git repository"));
}

TEST_CASE("a program that lies outside of the repository is the same on both sides", "[run]") {
  TwoCommits room;
  const std::string bench = (room.folder.path() / "bench").string();
  test::write_file(bench, "");
  test::write_file(room.repository / "deep" / "train.py", "");
  const auto warning = [&](const std::vector<std::string>& command) {
    room.study.command = command;
    return unmoved_program(room.study);
  };

  CHECK_THAT(warning({bench, "--size={size}"}),
             Catch::StartsWith("both sides may run the same program: " + bench + " is outside of " +
                               room.repository.string()));
  CHECK_THAT(warning({"sh", "-c", "sleep 1"}), Catch::Contains("names no file of that repository"));
  for (const std::vector<std::string>& moved :
       {std::vector<std::string>{"./train.py"},
        {bench, "train.py"},
        {"python3", "-u", "train.py"},
        {"python3", "-m", "somewhere"},
        {bench, "--config=../level"},
        {"sh", "-c", "cd .. && cat deep/../level; ./train.py"}}) {
    CAPTURE(moved);
    CHECK(warning(moved).empty());
  }
  room.study.environment["PYTHONPATH"] = "/nowhere:" + room.repository.string();
  CHECK(warning({bench}).empty());
  room.study.environment.clear();
  room.study.sides[0].commit.clear();
  CHECK(warning({bench}).empty());
}
