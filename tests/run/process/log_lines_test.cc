#include "harness/run/process/log_lines.h"

#include <fstream>
#include <sstream>
#include <vector>

#include "harness/run/nccl/nccl_log.h"
#include "harness/run/nccl/nccl_profile.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

struct Lines {
  std::vector<std::string> texts;
  bool is_whole = false;
};

Lines lines_of(const std::string& text) {
  std::istringstream log(text);
  Lines lines;
  lines.is_whole =
      for_each_line(log, [&](const std::string& line) { lines.texts.push_back(line); });
  return lines;
}

}  // namespace

TEST_CASE("a log has the lines that it has, also without an end of the last", "[run]") {
  CHECK(lines_of("a\n\nb").texts == std::vector<std::string>{"a", "", "b"});
  CHECK(lines_of("a\n\nb\n").texts == std::vector<std::string>{"a", "", "b"});
  CHECK(lines_of("").texts.empty());
  CHECK(lines_of("a\n").is_whole);
  CHECK(lines_of("").is_whole);
}

TEST_CASE("of a long line the first 64 KiB are read, and then the next line", "[run]") {
  const std::string fits(std::size_t{64} << 10U, 'x');

  CHECK(lines_of(fits + "\nb").texts == std::vector<std::string>{fits, "b"});
  CHECK(lines_of(fits + "yyy\nb").texts == std::vector<std::string>{fits, "b"});
  const Lines last = lines_of(fits + "yyy");
  CHECK(last.texts == std::vector<std::string>{fits});
  CHECK(last.is_whole);
}

TEST_CASE("what NCCL wrote counts as cut where it cannot be read to its end", "[run]") {
  for (const auto read : {read_nccl_log, read_nccl_profile}) {
    NcclTrace trace;
    std::istringstream whole("scalestudy-nccl-profile 1\n");
    read(whole, trace);
    CHECK_FALSE(trace.is_cut);
    std::ifstream broken("/proc/self/mem");  // reading at 0 fails with EIO
    read(broken, trace);
    CHECK(trace.is_cut);
  }
}
