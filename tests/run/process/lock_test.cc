#include "harness/run/process/lock.h"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

using test::TrialFolder;

TEST_CASE("a second lock of the same results folder is refused with the holder's name", "[run]") {
  const TrialFolder folder;
  const RunLock first(folder.path() / "results");

  try {
    const RunLock second(folder.path() / "results");
    FAIL("locked twice");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kLocked);
    const std::string message = error.what();
    CHECK(message.find("pid " + std::to_string(getpid()) + " on ") != std::string::npos);
    CHECK(message.find(" since 20") != std::string::npos);
    CHECK(message.find((folder.path() / "results").string()) != std::string::npos);
  }
}

TEST_CASE("the lock is free again when its holder is gone", "[run]") {
  const TrialFolder folder;
  { const RunLock first(folder.path()); }

  CHECK_NOTHROW(RunLock(folder.path()));
}

TEST_CASE("a link in the lock's place is not written through", "[run]") {
  const TrialFolder folder;
  test::write_file(folder.file("precious"), "text");
  std::filesystem::create_symlink(folder.file("precious"), folder.file("lock"));

  CHECK_THROWS_WITH(RunLock(folder.path()),
                    Catch::Contains("/lock: Too many levels of symbolic links. "));

  CHECK(test::read_file(folder.file("precious")) == "text");
}

TEST_CASE("the lock of a killed process does not stay", "[run]") {
  const TrialFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const RunLock held(folder.path());
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);

  CHECK_NOTHROW(RunLock(folder.path()));
}

TEST_CASE("a results folder that cannot be made is a store error naming it", "[run]") {
  const TrialFolder folder;
  const std::string file = folder.script("file", "");

  try {
    const RunLock lock(std::filesystem::path(file) / "results");
    FAIL("locked below a file");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kStore);
    CHECK(std::string(error.what()).find(file) != std::string::npos);
  }
  try {
    const RunLock lock{std::filesystem::path(file)};
    FAIL("locked a file");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with(file + ": Not a directory. "));
  }
}

TEST_CASE("who asks for the holder gets its name, and nobody's when it is gone", "[run]") {
  const TrialFolder folder;
  CHECK_FALSE(lock_holder(folder.path()).has_value());
  {
    const RunLock held(folder.path());
    const auto holder = lock_holder(folder.path());
    REQUIRE(holder.has_value());
    CHECK_THAT(holder->name, Catch::StartsWith("pid " + std::to_string(getpid())));
    CHECK(holder->since.size() == std::string("2026-11-22T01:02:03Z").size());
    CHECK(holder->waiting.empty());

    held.tell_waiting("demo");
    const auto waits = lock_holder(folder.path());
    REQUIRE(waits.has_value());
    CHECK(waits->waiting == "demo");
    CHECK(waits->name == holder->name);
    CHECK(waits->since == holder->since);
    held.tell_waiting("");
    CHECK(lock_holder(folder.path()).value().waiting.empty());
  }
  CHECK_FALSE(lock_holder(folder.path()).has_value());
}

TEST_CASE(
    "a lock that a process which is gone left to its children names no holder and is waited for",
    "[run]") {
  const TrialFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const RunLock held(folder.path());
    if (fork() == 0) {  // as the supervisor of a trial, which outlives it
      sleep(1);
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  CHECK_FALSE(lock_holder(folder.path()).has_value());
  CHECK_NOTHROW(RunLock(folder.path()));
}
