// How a record ends when ranks fail: by whichever does first, once.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/protocol/record_text.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy::protocol;
using scalestudy::test::kStart;

namespace {

// Whether somebody waits for the lock on this file: "1: -> FLOCK  ADVISORY  WRITE PID 08:01:INODE".
bool has_waiter(const std::string& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  const std::string inode = ":" + std::to_string(status.st_ino) + " ";
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    if (line.find("-> FLOCK") != std::string::npos && line.find(inode) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("of ranks that fail at once one ends the record", "[protocol]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string path = folder.file("trial.jsonl");
  Writer writer(path);
  writer.write(
      Start{.workload = "train", .ranks = 2, .parameters = {}, .facts = {}, .versions = {}});
  const Check check{.name = "loss_finite", .passed = false, .detail = "by hand"};
  const End end{.ok = false, .message = "first"};
  const int first = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  flock(first, LOCK_EX);
  std::thread second([&] { end_failed(path, check, {.ok = false, .message = "second"}); });
  bool waits = false;
  for (int tries = 0; tries < 20'000 && !waits; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    waits = has_waiter(path);
  }
  writer.write(end);
  close(first);
  second.join();

  CHECK(waits);
  CHECK(read_record(path).problems.empty());
  CHECK(read_record(path).events.size() == 2);
}

TEST_CASE("what a rank adds to end the record is not lost to the one that writes it",
          "[protocol]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string path = folder.file("trial.jsonl");
  Writer writer(path);
  writer.write(
      Start{.workload = "train", .ranks = 2, .parameters = {}, .facts = {}, .versions = {}});
  end_failed(path, Check{.name = "loss_finite", .passed = false, .detail = "by hand"}, {});
  writer.write(Phase{.name = "measure"});  // by a rank that knows of nothing

  const Record record = read_record(path);
  REQUIRE(record.events.size() == 3);
  CHECK(std::get<Check>(record.events[1]).name == "loss_finite");
  CHECK_FALSE(std::get<End>(record.events[2]).ok);
}

TEST_CASE("a record that breaks off, and one that is elsewhere, is not ended", "[protocol]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string path = folder.file("trial.jsonl");
  CHECK_THROWS_WITH(end_failed(path, {}, {}), Catch::Contains("No such file"));
  CHECK_FALSE(std::filesystem::exists(path));

  std::ofstream(path) << "{\"v\":1,\"eve";  // its writer was killed
  CHECK_THROWS_WITH(end_failed(path, {}, {}), Catch::Contains("breaks off"));
  CHECK_THROWS_WITH(end_failed("/proc/self/mem", {}, {}),  // reading it fails with EIO
                    Catch::Contains("cannot be read to its end"));
  CHECK(std::filesystem::file_size(path) == 11);
}

TEST_CASE("what ranks write behind the end of a failed run is left out in silence", "[protocol]") {
  const std::string end = R"({"v":1,"event":"end","ok":false,"message":"rank 1 diverged"})"
                          "\n";
  const std::string phase = R"({"v":1,"event":"phase","name":"measured"})"
                            "\n";

  const Record record = parse_record(kStart + end + phase);

  CHECK(record.events.size() == 2);
  CHECK(record.problems.empty());
  CHECK(parse_record(kStart +
                     R"({"v":1,"event":"end","ok":true})"
                     "\n" +
                     phase)
            .problems.size() == 1);
}
