// Formulas over intervals.
#include "harness/audit/figure/formula.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

Range range_of(const Formula& formula, const std::vector<Range>& ranges) {
  std::vector<std::size_t> same_as;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    same_as.push_back(i);
  }
  return formula.range(ranges, same_as);
}

TEST_CASE("a formula is computed as it reads", "[audit]") {
  const Formula formula("1 + b * (2.5 - a) / b - a");

  CHECK(formula.names() == std::vector<std::string>{"b", "a"});
  CHECK(formula.evaluate(std::vector<double>{4.0, 0.5}) == Approx(2.5));  // 1 + 4 x 2 / 4 - 0.5
}

TEST_CASE("baseline before a name is the baseline's figure, alone it is a name", "[audit]") {
  CHECK(Formula("step_time / baseline step_time").names() ==
        std::vector<std::string>{"step_time", "baseline step_time"});
  CHECK(Formula("baseline / optimized").names() ==
        std::vector<std::string>{"baseline", "optimized"});
}

TEST_CASE("a formula's range holds its corners", "[audit]") {
  const Range ratio = range_of(Formula("a / b"), {{1.0, 2.0}, {4.0, 5.0}});
  const Range sum = range_of(Formula("a + b"), {{1.0, 2.0}, {4.0, 5.0}});

  CHECK(ratio.lo == Approx(0.2));
  CHECK(ratio.hi == Approx(0.5));
  CHECK(sum.lo == Approx(5.0));
  CHECK(sum.hi == Approx(7.0));
}

TEST_CASE("a figure used twice does not count its rounding twice", "[audit]") {
  const std::vector<Range> ranges{{1.0, 2.0}, {1.0, 2.0}};

  const Range same = Formula("a / b").range(ranges, std::vector<std::size_t>{0, 0});

  CHECK(same.lo == 1.0);
  CHECK(same.hi == 1.0);
}

TEST_CASE("a long sum is the sum of its ends", "[audit]") {
  std::string text = "r1";
  std::vector<Range> ranges{{1.0, 2.0}};
  for (int i = 2; i <= 30; ++i) {
    text += " + r" + std::to_string(i);
    ranges.push_back({1.0, 2.0});
  }

  const Range range = range_of(Formula(text), ranges);

  CHECK(range.lo == 30.0);
  CHECK(range.hi == 60.0);
}

TEST_CASE("a long difference falls with what is taken away", "[audit]") {
  std::string text = "r1";
  std::vector<Range> ranges{{1.0, 2.0}};
  for (int i = 2; i <= 30; ++i) {
    text += " - r" + std::to_string(i);
    ranges.push_back({1.0, 2.0});
  }

  const Range range = range_of(Formula(text), ranges);
  const Range share = range_of(Formula("(" + text + ") / r31"), [&] {
    std::vector<Range> all = ranges;
    all.push_back({2.0, 4.0});
    return all;
  }());
  ranges.push_back({-1.0, 4.0});

  CHECK(range.lo == 1.0 - 29 * 2.0);
  CHECK(range.hi == 2.0 - 29 * 1.0);
  CHECK(share.lo == -57.0 / 2.0);
  CHECK(share.hi == -27.0 / 4.0);
  CHECK_FALSE(range_of(Formula("(" + text + ") / r31"), ranges).is_bounded());
}

TEST_CASE("a divisor that can be zero leaves no bounded range", "[audit]") {
  CHECK_FALSE(range_of(Formula("a / b"), {{1.0, 2.0}, {0.0, 1.0}}).is_bounded());
}

TEST_CASE("a divisor on both sides of zero leaves no bounded range", "[audit]") {
  CHECK_FALSE(range_of(Formula("a / b"), {{1.0, 2.0}, {-1.0, 1.0}}).is_bounded());
}

TEST_CASE("a text that is no formula is a defect of the program", "[audit]") {
  for (const char* text : {"", "a +", "(a", "a b", "a ^ b", "A"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Formula(text), std::logic_error);
  }
}

}  // namespace
