// What the harness does with files that a trial could have made anything of.
#include "harness/run/process/trial_files.h"

#include <fstream>
#include <optional>

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "harness/run/process/process_launcher.h"
#include "tests/run/no_room.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

using test::NoRoom;
using test::TrialFolder;

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): pread has no other argument
bool is_disk_broken = false;

// What statvfs() tells; absent: of the real file system.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): it has no other argument
std::optional<struct statvfs> told_disk;

}  // namespace

// Becomes the product's, which is part of this program.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's are reserved
extern "C" ssize_t pread(int file, void* data, size_t size, off_t at) {
  if (is_disk_broken && at > 0) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pread64, file, data, size, at);
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's are reserved
extern "C" int statvfs(const char* path, struct statvfs* disk) noexcept {
  if (told_disk) {
    *disk = *told_disk;
    return 0;
  }
  struct statfs known {};
  const int result = statfs(path, &known);
  disk->f_frsize = static_cast<unsigned long>(known.f_frsize);
  disk->f_blocks = known.f_blocks;
  disk->f_bfree = known.f_bfree;
  disk->f_bavail = known.f_bavail;
  return result;
}

TEST_CASE("a pipe or a link in a log's place is not opened", "[run]") {
  const TrialFolder folder;
  const std::string pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/zero", folder.file("link"));

  for (const std::string& path : {pipe, folder.file("link"), folder.file("missing")}) {
    CHECK_FALSE(open_log(path).is_open());
    CHECK(read_tail(path).empty());
    CHECK(cap_log(path) == 0);
  }
}

TEST_CASE("the tail of a log begins with a whole line, so that no half of a secret is in it",
          "[run]") {
  const TrialFolder folder;
  const std::string path = folder.file("stderr");
  const std::string end = "\nlast\n";
  test::write_file(path, std::string(80'000, 's') + end);
  CHECK(read_tail(path) == "last\n");

  // The line of a progress bar ends with a carriage return.
  test::write_file(path, std::string(80'000, 's') + "\r 1 %\r 2 %\nlast\n");
  CHECK(read_tail(path) == " 1 %\r 2 %\nlast\n");

  const std::string one_line = std::string(80'000, 'x') + "\n";
  test::write_file(path, one_line);
  CHECK((read_tail(path) == one_line.substr(one_line.size() - 65'536)));

  test::write_file(path, "first\nlast\n");
  CHECK(read_tail(path) == "first\nlast\n");
}

TEST_CASE("a long log keeps its head and its tail and tells the gap", "[run]") {
  const TrialFolder folder;
  const std::string path = folder.file("stdout");
  constexpr std::size_t half = std::size_t{16} << 20U;
  const auto log_with = [](const std::string& middle) {
    std::string text(half, 'h');
    text += middle;
    text.append(half, 't');
    return text;
  };
  test::write_file(path, log_with(std::string(3'000'000, 'm')));

  CHECK(cap_log(path) == 3'000'000);

  CHECK((test::read_file(path) == log_with("\n[scalestudy left out 3000000 bytes here]\n")));
  CHECK(cap_log(path) == 0);
}

TEST_CASE("no half of a secret stays at the ends of what is left out of a long log", "[run]") {
  const TrialFolder folder;
  const std::string own = folder.file("stdout");
  const std::string linked = folder.file("stderr");  // to somebody's data
  constexpr std::size_t half = std::size_t{16} << 20U;
  const std::string head(half - 2, 'h');
  const std::string tail(half - 3, 't');
  const std::string log = head + "hush" + std::string(3'000'000, 'm') + "hush" + tail;
  test::write_file(own, log);
  test::write_file(folder.file("data"), log);
  std::filesystem::create_hard_link(folder.file("data"), linked);

  for (const std::string& path : {own, linked}) {
    CHECK_THAT(keep_log(path, {"ush", "hush", "not there"}),
               Catch::StartsWith("3000008 bytes in the middle of std"));
    const std::string kept = test::read_file(path);
    CHECK((kept == head + "\n[scalestudy left out 3000008 bytes here]\n" + tail));
  }
}

TEST_CASE("a log of no more than 32 MiB stays as it is", "[run]") {
  const TrialFolder folder;
  const std::string path = folder.file("stdout");
  test::write_file(path, std::string(std::size_t{32} << 20U, 'x'));

  CHECK(cap_log(path) == 0);
  CHECK(std::filesystem::file_size(path) == std::size_t{32} << 20U);
}

TEST_CASE("a log that is another file's second name leaves that file as it is", "[run]") {
  const TrialFolder folder;
  const std::string data = folder.file("data");
  const std::string secret = "hush" + std::string(std::size_t{33} << 20U, 'x');
  test::write_file(data, secret);
  std::filesystem::create_hard_link(data, folder.file("stdout"));

  keep_log(folder.file("stdout"), {"hush"});

  CHECK((test::read_file(data) == secret));
  CHECK(test::read_file(folder.file("stdout")).starts_with("(secret)xx"));
}

TEST_CASE("a huge file's second name becomes a log that is cut", "[run]") {
  const TrialFolder folder;
  constexpr std::uintmax_t huge = std::uintmax_t{1} << 40U;  // has no blocks
  test::write_file(folder.file("data"), "hush");
  std::filesystem::resize_file(folder.file("data"), huge);
  std::filesystem::create_hard_link(folder.file("data"), folder.file("stdout"));

  keep_log(folder.file("stdout"), {"hush"});

  CHECK(std::filesystem::file_size(folder.file("data")) == huge);
  const std::string log = test::read_file(folder.file("stdout"));
  CHECK(log.size() < (std::size_t{33} << 20U));
  CHECK(log.starts_with("(secret)"));
  CHECK(log.find("\n[scalestudy left out 1099478073344 bytes here]\n") != std::string::npos);
}

TEST_CASE("a log on a full disk keeps what fits, no secret, and tells the rest", "[run]") {
  const TrialFolder folder;
  const std::string path = folder.file("stdout");
  test::write_file(path, "first 1234 second 1234 last");  // 27 bytes, and 35 without the secrets

  const std::string loss = [&] {
    const NoRoom full(27);
    return keep_log(path, {"1234"});
  }();

  CHECK(test::read_file(path) == "first (secret) second (secr");
  CHECK(loss ==
        "the last 8 bytes of stdout were left out after it was read: the disk had no room for "
        "them");
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
  CHECK(keep_log(path, {"1234"}).empty());
}

TEST_CASE("what a broken disk does not give of a log ends nothing", "[run]") {
  const TrialFolder folder;
  const std::string path = folder.file("stdout");
  test::write_file(path, "hush" + std::string(100'000, 'x'));
  is_disk_broken = true;

  CHECK(read_tail(path).empty());
  const std::string loss = keep_log(path, {"hush"});
  is_disk_broken = false;

  CHECK_THAT(loss, Catch::Contains("100004 bytes of stdout") && Catch::Contains("not be read"));
  CHECK_FALSE(std::filesystem::exists(path));  // it may hold a secret
}

TEST_CASE("a disk with less than 64 KiB for this user is full", "[run]") {
  const TrialFolder folder;
  const auto is_full = [&](fsblkcnt_t free_blocks, fsblkcnt_t available_blocks) {
    struct statvfs disk {};
    disk.f_frsize = 4096;
    disk.f_blocks = 1000;
    disk.f_bfree = free_blocks;
    disk.f_bavail = available_blocks;
    told_disk = disk;
    const bool result = is_disk_full(folder.path());
    told_disk.reset();
    return result;
  };

  CHECK(is_full(0, 0));
  CHECK(is_full(15, 15));
  CHECK_FALSE(is_full(16, 16));
  CHECK(is_full(16, 15) == (geteuid() != 0));  // a block is reserved for root
  CHECK_FALSE(is_disk_full("/proc"));          // tells no size
  CHECK_FALSE(is_disk_full(folder.path() / "none"));
}

TEST_CASE("a launch tells whether the disk of its output was full at its end", "[run]") {
  const TrialFolder folder;
  LaunchRequest request;
  request.argv = {"true"};
  request.stdout_path = folder.path() / "stdout";
  request.stderr_path = folder.path() / "stderr";
  request.output_path = folder.path() / "protocol.jsonl";
  const std::atomic<bool> go_on{false};
  struct statvfs full {};
  full.f_frsize = 4096;
  full.f_blocks = 1000;

  told_disk = full;
  const LaunchResult on_full = ProcessLauncher(0.3).launch(request, go_on);
  full.f_bfree = full.f_bavail = 500;
  told_disk = full;
  const LaunchResult on_half = ProcessLauncher(0.3).launch(request, go_on);
  told_disk.reset();

  CHECK(on_full.exit_code == 0);
  CHECK(on_full.is_disk_full);
  CHECK_FALSE(on_half.is_disk_full);
}
