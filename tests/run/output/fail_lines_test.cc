// Lines of output that tell of an error.
#include "harness/run/output/fail_lines.h"

#include <sstream>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

FailLines find(const std::string& out,
               const std::string& err,
               const std::vector<std::string>& fail_if = {}) {
  std::istringstream out_text(out);
  std::istringstream err_text(err);
  return find_fail_lines(out_text, err_text, fail_if);
}

}  // namespace

TEST_CASE("the first line that matches a declared pattern is told, colours aside", "[run]") {
  const FailLines found = find(
      "step 1\n", "a\n\x1b[31mlost rank 3\x1b[0m\nlost rank 4\n", {"no such", "lost rank [0-9]+"});

  CHECK(found.declared == "stderr line 2 matches \"lost rank [0-9]+\": lost rank 3");
  CHECK(found.usual.empty());
  CHECK(find("step 1\n", "", {"lost", "("}).declared.empty());
}

TEST_CASE("what programs print when something went wrong is told apart from what they print anyway",
          "[run]") {
  for (const std::string line : {"Traceback (most recent call last):",
                                 "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried ...",
                                 R"({"cell": 3, "status": "ERROR"})",
                                 "sh: line 1: 12 Segmentation fault      ./a.out"}) {
    CAPTURE(line);
    CHECK(find("ok\n" + line + "\n", "").usual == "stdout line 2: " + line);
    CHECK(find("ok\n" + line + "\n", line + "\n").count == 2);
    CHECK(find("ok\n" + line + "\n", "").declared.empty());
  }
  for (const std::string line : {"0 errors",
                                 "error rate 0.2",
                                 "validation error: 0.31",
                                 R"({"status": "OK", "errors": []})",
                                 "memory 3 GiB",
                                 "see the Traceback (most recent call last) of yesterday"}) {
    CAPTURE(line);
    CHECK(find(line + "\n", "").count == 0);
  }
}
