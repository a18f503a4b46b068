// Output of a trial that the disk gives only in part.
#include <ios>
#include <sstream>

#include "harness/run/outcome/extract.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// As a file's buffer does where read() fails.
class BrokenBuffer : public std::stringbuf {
 public:
  using std::stringbuf::stringbuf;

 protected:
  int_type underflow() override { throw std::ios_base::failure("read error"); }
};

}  // namespace

TEST_CASE("output that a disk gives in part alone is unusable, and ends nothing", "[run]") {
  BrokenBuffer buffer("t=1\nt=2\nt=3\n");
  std::istream out(&buffer);
  std::istringstream err;
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s";
  rule.regex = "t=(.*)";
  rule.group = 1;

  const auto record = extract_samples(
      {.out = out, .err = err}, {rule}, Steps{.warmup = 1, .measured = 2}, Parameters());

  REQUIRE_FALSE(record.problems.empty());
  CHECK(record.problems.front() == "stdout could not be read to its end");
}
