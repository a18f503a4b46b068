#include "harness/run/process/device_locks.h"

#include <csignal>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using test::TemporaryFolder;

TEST_CASE("of runs with a CPU in common one has all of its own, and is named", "[run]") {
  const TemporaryFolder folder;
  DeviceLocks first(folder.path() / "locks");
  CHECK_FALSE(first.take({"cpu-0", "cpu-1"}, "pid 1, study a").has_value());
  CHECK(first.problem().empty());

  DeviceLocks second(folder.path() / "locks");
  CHECK(second.take({"cpu-2", "cpu-1"}, "pid 2, study b") == "cpu-1: pid 1, study a");

  // It let go of the one that it could have had; and disjoint sets go on side by side.
  DeviceLocks third(folder.path() / "locks");
  CHECK_FALSE(third.take({"cpu-2", "cpu-3", "gpu-GPU-6f1c"}, "pid 3").has_value());
}

TEST_CASE("what a run had is free when the run has gone, however it went", "[run]") {
  const TemporaryFolder folder;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    DeviceLocks locks(folder.path());
    const bool is_taken = !locks.take({"cpu-0"}, "the child").has_value();
    [[maybe_unused]] const ssize_t told = write(ready[1], is_taken ? "y" : "n", 1);
    pause();
    _exit(0);
  }
  char answer = 'n';
  REQUIRE(read(ready[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  DeviceLocks locks(folder.path());
  CHECK(locks.take({"cpu-0"}, "the parent") == "cpu-0: the child");

  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);

  CHECK_FALSE(locks.take({"cpu-0"}, "the parent").has_value());
  CHECK(test::read_file(folder.path() / "cpu-0") == "the parent");  // nothing of a longer name
}

TEST_CASE("any user of the machine can take what another one let go of", "[run]") {
  const TemporaryFolder folder;
  const mode_t before = umask(077);
  {
    DeviceLocks locks(folder.path() / "locks");
    CHECK_FALSE(locks.take({"cpu-0"}, "me").has_value());
  }
  umask(before);
  struct stat status {};
  REQUIRE(stat((folder.path() / "locks").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 01777U);
  REQUIRE(stat((folder.path() / "locks" / "cpu-0").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0666U);
}

TEST_CASE("a folder without locks is no reason not to run, and is told", "[run]") {
  const TemporaryFolder folder;
  test::write_file(folder.path() / "file", "");
  DeviceLocks locks(folder.path() / "file" / "below");
  CHECK_FALSE(locks.take({"cpu-0"}, "me").has_value());
  CHECK_THAT(locks.problem(), Catch::Contains("file/below/cpu-0: "));

  // Nor is what somebody put in a lock's place.
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "cpu-1");
  REQUIRE(mkfifo((folder.path() / "cpu-2").c_str(), 0666) == 0);
  DeviceLocks others(folder.path());
  CHECK_FALSE(others.take({"cpu-1"}, "me").has_value());
  CHECK_FALSE(others.problem().empty());
  CHECK_FALSE(others.take({"cpu-2"}, "me").has_value());
  CHECK_THAT(others.problem(), Catch::Contains("cpu-2"));
}
