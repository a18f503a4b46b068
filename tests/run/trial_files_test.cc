// What the harness does with files that a trial could have made anything of.
#include "harness/run/trial_files.h"

#include <fstream>

#include <sys/stat.h>

#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

using test::TrialFolder;

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
