// Files of checkpoints by themselves: what is written comes back, and what is not whole is refused.
#include "workloads/train/saves/checkpoint_files.h"

#include <filesystem>
#include <stdexcept>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "workloads/rank/error.h"
#include "workloads/train/saves/checkpoints.h"
#include "workloads/train/saves/failures.h"

using namespace scalestudy;
using namespace scalestudy::train;
using Catch::Contains;

namespace {

Blocks blocks_of(std::vector<double>& a, std::string& b) {
  return {std::as_writable_bytes(std::span(a)), std::as_writable_bytes(std::span(b))};
}

template <typename Function>
rank::WorkloadError error_of(const Function& function) {
  try {
    function();
  } catch (const rank::WorkloadError& error) {
    return error;
  }
  return {0, "nothing was thrown"};
}

}  // namespace

TEST_CASE("blocks come back as they were written, and what is not whole is refused", "[train]") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "state";
  std::vector<double> numbers = {1.0, -2.5};
  std::string text = "abcde";  // no whole number of words
  write_blocks(path, blocks_of(numbers, text));
  const FileSum sum = sum_of(blocks_of(numbers, text));
  CHECK(sum.bytes == 21);

  std::vector<double> read_numbers(2);
  std::string read_text(5, '.');
  read_blocks(path, blocks_of(read_numbers, read_text), sum);
  CHECK(read_numbers == numbers);
  CHECK(read_text == text);

  const auto refusal = [&] {
    const rank::WorkloadError error =
        error_of([&] { read_blocks(path, blocks_of(read_numbers, read_text), sum); });
    CHECK(error.exit_code() == 2);
    return std::string(error.what());
  };
  std::string content = test::read_file(path);
  content[3] ^= 1;
  test::write_file(path, content);
  CHECK_THAT(refusal(), Contains("its content is not what was written"));
  test::write_file(path, content.substr(0, 20));
  CHECK_THAT(refusal(), Contains("the file has 20 bytes, its manifest says 21"));
  std::filesystem::remove(path);
  CHECK_THAT(refusal(), Contains("No such file or directory"));
  write_blocks(path, blocks_of(numbers, text));
  read_text.resize(4);
  CHECK_THAT(refusal(), Contains("it holds 21 bytes of state, this run has 20"));
}

TEST_CASE("a file grows behind what it has, and its begin is told from the rest", "[train]") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "steps";
  std::vector<double> first = {1.0, 2.0};
  std::vector<double> second = {3.0};
  const Blocks one = {std::as_writable_bytes(std::span(first))};
  const Blocks two = {std::as_writable_bytes(std::span(second))};
  write_blocks(path, one);
  const FileSum begin = sum_of(one);
  write_blocks(path, two, begin.bytes);
  const FileSum both = sum_of(two, begin);
  CHECK(std::filesystem::file_size(path) == 24);

  std::vector<double> read(3);
  const Blocks whole = {std::as_writable_bytes(std::span(read))};
  read_blocks(path, whole, both);
  CHECK(read == std::vector<double>{1.0, 2.0, 3.0});
  std::vector<double> part(2);
  const Blocks some = {std::as_writable_bytes(std::span(part))};
  read_blocks(path, some, begin, true);
  CHECK(part == first);
  CHECK(error_of([&] { read_blocks(path, some, begin); }).exit_code() == 2);
  // What is behind the begin is written over.
  write_blocks(path, one, begin.bytes);
  CHECK(std::filesystem::file_size(path) == 32);
  CHECK(error_of([&] { read_blocks(path, whole, both, true); }).exit_code() == 2);
}

// Two blocks that change places are other content, though each is the same.
TEST_CASE("the sum of a file knows the order of its blocks", "[train]") {
  std::vector<double> a = {1.0};
  std::vector<double> b = {2.0};
  const std::span<std::byte> one = std::as_writable_bytes(std::span(a));
  const std::span<std::byte> two = std::as_writable_bytes(std::span(b));

  CHECK_FALSE(sum_of({one, two}) == sum_of({two, one}));
}

// The kernel's own answers: full(4), and an address where nothing is mapped (proc(5)).
TEST_CASE("what a disk answers is told, and another folder advised", "[train]") {
  std::vector<double> numbers = {1.0};
  std::string text;
  const auto told = [&](const std::filesystem::path& path) {
    const rank::WorkloadError error =
        error_of([&] { write_blocks(path, blocks_of(numbers, text)); });
    CHECK(error.exit_code() == 1);
    return std::string(error.what());
  };

  CHECK_THAT(told(unwritable(FailureKind::kNoSpace)),
             Contains("No space left on device") && Contains("save_dir"));
  CHECK_THAT(told(unwritable(FailureKind::kInputOutput)), Contains("Input/output error"));
  CHECK_THAT(told("/nonexistent/state"), Contains("No such file or directory"));
  CHECK(unwritable(FailureKind::kKillRank).empty());
}

TEST_CASE("a manifest is read as it was written, and nothing else is", "[train]") {
  const Manifest manifest{.step = 30,
                          .ranks = 2,
                          .files = {{"rank_0.state", {4096, 0xFEDCBA9876543210U}}},
                          .parameters = {{"model", "mlp-258k"}, {"learning_rate", "0.01"}}};
  const Manifest read = parse_manifest(format_manifest(manifest));
  CHECK(read.step == 30);
  CHECK(read.ranks == 2);
  CHECK(read.files == manifest.files);
  CHECK(read.parameters == manifest.parameters);

  for (const std::string text : {"",
                                 "{",
                                 R"({"format": 2, "step": 30})",
                                 R"({"format": 2, "step": 30, "ranks": -1})",
                                 R"({"format": 2, "step": 30, "ranks": 2, "file.a": "12"})",
                                 R"({"format": 2, "step": 30, "ranks": 2, "file.a": "12 0x1"})",
                                 R"({"format": 2, "step": 3.5, "ranks": 2})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_manifest(text), std::invalid_argument);
  }
  CHECK(parse_manifest(R"({"format": 2, "step": 30, "ranks": 2})").step == 30);
  CHECK_THROWS_WITH(parse_manifest(R"({"step": 30, "ranks": 2})"),
                    "another version of this program wrote it");
}

TEST_CASE("pages of a file are counted, and dropped where its system has them", "[train]") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "pages";
  std::vector<double> numbers(4096);  // 32 KiB
  std::string text;
  write_blocks(path, blocks_of(numbers, text));

  const Pages written = pages_of(path);
  CHECK(written.all * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) == 32768);
  CHECK(written.cached_share() == 1.0);
  drop_pages(path);
  CHECK(pages_of(path).cached <= written.cached);
  CHECK_FALSE(pages_of(folder.path() / "none").cached_share());  // nobody knows, not 0
}

TEST_CASE("the record of a failure is read as it was written", "[train]") {
  const test::TemporaryFolder folder;
  CHECK_FALSE(read_failure(folder.path()));
  write_failure(folder.path(), {.step = 12, .at_s = 1234567.123456789});
  CHECK(read_failure(folder.path())->step == 12);
  CHECK(read_failure(folder.path())->at_s == 1234567.123456789);
  CHECK_FALSE(read_failure(folder.path())->known_s);
  write_failure(folder.path(), {.step = 12, .at_s = 1.5, .known_s = 2.25});
  CHECK(read_failure(folder.path())->known_s == 2.25);

  const auto record = *std::filesystem::directory_iterator(folder.path());
  std::filesystem::remove(record);
  std::filesystem::create_symlink("/proc/self/mem", record);  // reading it fails with EIO
  CHECK_THROWS_WITH(read_failure(folder.path()), Catch::Contains("cannot be read to its end"));
}

TEST_CASE("a node is killed whole, and a rank alone", "[train]") {
  const auto victims = [](FailureKind kind, std::size_t rank, std::size_t node_ranks) {
    const Victims found = victims_of({.kind = kind, .rank = rank, .node_ranks = node_ranks}, 6);
    return std::pair(found.first, found.last);
  };
  CHECK(victims(FailureKind::kKillRank, 3, 2) == std::pair(3, 3));
  CHECK(victims(FailureKind::kKillNode, 3, 2) == std::pair(2, 3));
  CHECK(victims(FailureKind::kKillNode, 4, 2) == std::pair(4, 5));
  CHECK(victims(FailureKind::kKillNode, 4, 0) == std::pair(0, 5));
}
