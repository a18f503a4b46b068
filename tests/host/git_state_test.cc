// What git says of a folder.
#include "harness/host/git_state.h"

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;

namespace {

std::string git(const test::TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  const GitAnswer answer = run_git(folder.path(), arguments);
  CAPTURE(answer.output);
  REQUIRE(answer.exit_code == 0);
  return answer.output;
}

void commit(const test::TemporaryFolder& folder, const std::string& text) {
  test::write_file(folder.file("level"), text);
  git(folder, {"add", "level"});
  git(folder, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", text});
}

}  // namespace

TEST_CASE("a folder's commit is told, and whether its files differ from it", "[host]") {
  const test::TemporaryFolder folder;
  CHECK(git_state(folder.path()).empty());
  git(folder, {"init", "--quiet"});
  CHECK(git_state(folder.path()).empty());
  commit(folder, "1");
  commit(folder, "2");
  git(folder, {"tag", "v2"});
  const std::string head = git(folder, {"rev-parse", "HEAD"});

  CHECK(git_state(folder.path()) == head);
  test::write_file(folder.file("of_nobody"), "");
  CHECK(git_state(folder.path()) == head);
  test::write_file(folder.file("level"), "3");
  CHECK(git_state(folder.path()) == head + "-dirty");
  git(folder, {"add", "level"});
  CHECK(git_state(folder.path()) == head + "-dirty");
}

TEST_CASE("a folder's state is told without its history, which may be long", "[host]") {
  const test::TemporaryFolder folder;
  git(folder, {"init", "--quiet"});
  commit(folder, "1");
  const std::string first = git(folder, {"rev-parse", "HEAD"});
  commit(folder, "2");
  const std::string head = git(folder, {"rev-parse", "HEAD"});

  const std::filesystem::path object =
      folder.path() / ".git" / "objects" / first.substr(0, 2) / first.substr(2);
  std::filesystem::remove(object);
  test::write_file(object, "what nobody can read");

  CHECK(git_state(folder.path()) == head);
}
