#include "stats/threshold.h"

#include <cmath>
#include <vector>

#include "stats/isotonic.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

// Tested values at x = 8, 16, 32 ... with the heights given.
std::vector<TestedValue> ladder(const std::vector<double>& heights, double se) {
  std::vector<TestedValue> values;
  double x = 8.0;
  for (const double g : heights) {
    values.push_back({.x = x, .g = g, .se = se, .df = 8.0});
    x *= 2.0;
  }
  return values;
}

Threshold rising(const std::vector<TestedValue>& values) {
  return threshold_piecewise(values, 0.0, 0.95, Direction::kIncreasing);
}

// Straight in ln x through zero half way between 16 and 32: x = sqrt(512).
TEST_CASE("a straight curve crosses where the line does", "[stats]") {
  const Threshold t = rising(ladder({-0.3, -0.1, 0.1, 0.3}, 0.01));

  CHECK(t.status == Status::kCrossed);
  CHECK(t.bracket.lo == 16.0);
  CHECK(t.bracket.hi == 32.0);
  CHECK(*t.estimate == Approx(std::sqrt(512.0)));
  REQUIRE(t.set_curvature.size() == 1);
  CHECK(t.set_curvature.front().lo < *t.estimate);
  CHECK(*t.estimate < t.set_curvature.front().hi);
}

TEST_CASE("a crossing is found however precisely it is measured", "[stats]") {
  const Threshold t = rising(ladder({-0.31, -0.1, 0.17, 0.3}, 1e-9));

  REQUIRE(t.set_linear.size() == 1);
  CHECK(t.set_linear.front().lo <= *t.estimate);
  CHECK(*t.estimate <= t.set_linear.front().hi);
}

TEST_CASE("the curvature allowance only ever widens the set", "[stats]") {
  const Threshold t = rising(ladder({-0.9, -0.3, 0.1, 0.2}, 0.02));

  REQUIRE(t.set_linear.size() == 1);
  REQUIRE(t.set_curvature.size() == 1);
  CHECK(t.set_curvature.front().lo < t.set_linear.front().lo);
  CHECK(t.set_curvature.front().hi > t.set_linear.front().hi);
}

TEST_CASE("a curve above or below the target everywhere has no estimate", "[stats]") {
  const Threshold above = rising(ladder({0.1, 0.2, 0.3}, 0.01));
  const Threshold below = rising(ladder({-0.3, -0.2, -0.1}, 0.01));

  CHECK(above.status == Status::kAlways);
  CHECK_FALSE(above.bracket.lo.has_value());
  CHECK(above.bracket.hi == 8.0);
  CHECK(below.status == Status::kNotReached);
  CHECK(below.bracket.lo == 32.0);
  CHECK_FALSE(below.estimate.has_value());
}

TEST_CASE("one unresolved tested value keeps always and not reached from being said", "[stats]") {
  CHECK(rising(ladder({0.001, 0.2, 0.3}, 0.01)).status == Status::kUnresolved);
  CHECK(rising(ladder({0.0, 0.0}, 0.01)).status == Status::kUnresolved);
}

TEST_CASE("an unresolved curve is bracketed from the side that is resolved", "[stats]") {
  const std::vector<TestedValue> values = ladder({0.001, 0.2, 0.3}, 0.01);

  const Threshold up = rising(values);
  const Threshold down = threshold_piecewise(values, 0.0, 0.95, Direction::kDecreasing);
  const Threshold any = threshold_piecewise(values, 0.0, 0.95, Direction::kAny);

  CHECK_FALSE(up.bracket.lo.has_value());
  CHECK(up.bracket.hi == 16.0);
  CHECK(down.bracket.lo == 32.0);
  CHECK_FALSE(down.bracket.hi.has_value());
  CHECK_FALSE(any.bracket.hi.has_value());
}

TEST_CASE("two sign changes are not a break-even point", "[stats]") {
  const Threshold t = rising(ladder({-0.2, 0.2, -0.2}, 0.01));

  CHECK(t.status == Status::kMultiple);
  CHECK_FALSE(t.estimate.has_value());
  CHECK(t.set_curvature.size() == 2);
}

TEST_CASE("of several crossings one in the first or last step is at an end", "[stats]") {
  const auto is_at_end_of = [](const std::vector<double>& heights) {
    const std::vector<TestedValue> values = ladder(heights, 0.01);
    const Threshold t = rising(values);
    CHECK(t.status == Status::kMultiple);
    return is_at_end(t, values);
  };
  CHECK(is_at_end_of({-0.2, 0.2, 0.3, 0.2, -0.2, -0.3}));
  CHECK(is_at_end_of({-0.3, -0.2, 0.2, 0.3, 0.2, -0.2}));
  CHECK_FALSE(is_at_end_of({-0.3, -0.2, 0.2, 0.2, -0.2, -0.3}));
}

TEST_CASE("mirroring the curve turns crossed into crossed down at the same place", "[stats]") {
  std::vector<TestedValue> values = ladder({-0.35, -0.1, 0.12, 0.3}, 0.02);
  const Threshold up = rising(values);
  for (TestedValue& value : values) {
    value.g = -value.g;
  }
  const Threshold down = threshold_piecewise(values, 0.0, 0.95, Direction::kDecreasing);

  CHECK(down.status == Status::kCrossedDown);
  CHECK(*down.estimate == Approx(*up.estimate));
  CHECK(down.set_curvature.front().lo == Approx(up.set_curvature.front().lo));
}

TEST_CASE("a set that reaches an end of the range is censored there", "[stats]") {
  const Threshold t = rising(ladder({-0.3, -0.1, 0.005}, 0.01));

  CHECK(t.status == Status::kUnresolved);
  CHECK(t.censored_high);
  CHECK_FALSE(t.censored_low);
  CHECK(t.set_curvature.back().hi == 32.0);
}

TEST_CASE("tested values without any spread still give a crossing", "[stats]") {
  const Threshold t = rising(ladder({-0.1, 0.1}, 0.0));

  CHECK(t.status == Status::kCrossed);
  CHECK(*t.estimate == Approx(std::sqrt(128.0)));
}

TEST_CASE("tested values out of order, repeated or not positive are refused", "[stats]") {
  std::vector<TestedValue> values = ladder({-0.1, 0.1}, 0.01);
  std::vector<TestedValue> repeated = values;
  repeated[1].x = repeated[0].x;
  std::vector<TestedValue> at_zero = values;
  at_zero[0].x = 0.0;
  std::vector<TestedValue> no_df = values;
  no_df[0].df = std::nan("");

  CHECK(rising(repeated).status == Status::kInvalidInput);
  CHECK(rising(at_zero).status == Status::kInvalidInput);
  CHECK(rising(no_df).status == Status::kInvalidInput);
  CHECK(rising({}).status == Status::kInsufficientData);
}

TEST_CASE("a target that is no number, or a level in percent, is refused", "[stats]") {
  const std::vector<TestedValue> values = ladder({-0.1, 0.1}, 0.01);

  CHECK(threshold_piecewise(values, std::nan(""), 0.95, Direction::kIncreasing).status ==
        Status::kInvalidInput);
  CHECK(threshold_piecewise(values, 0.0, 95.0, Direction::kIncreasing).status ==
        Status::kInvalidInput);
}

TEST_CASE("an isotonic fit never falls and keeps the weighted mean", "[stats]") {
  const std::vector<double> y{3.0, 1.0, 2.0, 5.0, 4.0};
  const std::vector<double> w{1.0, 2.0, 1.0, 3.0, 1.0};

  const IsotonicFit f = isotonic(y, w);

  double before = 0.0;
  double after = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    before += w[i] * y[i];
    after += w[i] * f.fit[i];
    CHECK((i == 0 || f.fit[i] >= f.fit[i - 1]));
  }
  CHECK(after == Approx(before));
}

TEST_CASE("isotonic weights must be positive", "[stats]") {
  CHECK(isotonic(std::vector<double>{1.0}, std::vector<double>{0.0}).status ==
        Status::kInvalidInput);
  CHECK(isotonic({}, {}).status == Status::kInsufficientData);
}

// At 8 degrees of freedom t(0.95) is 2.306: 0.02 is not resolved with an error of 0.01.
TEST_CASE("what is not resolved beyond the bracket belongs to its span", "[stats]") {
  const Threshold t = rising(ladder({-0.3, -0.1, 0.1, 0.02, 0.3}, 0.01));

  CHECK(t.status == Status::kCrossed);
  CHECK(t.bracket.lo == 16.0);
  CHECK(t.bracket.hi == 32.0);
  CHECK(t.span.lo == 16.0);
  CHECK(t.span.hi == 128.0);
  CHECK(t.set_curvature.size() == 2);

  const Threshold open = rising(ladder({0.02, -0.1, 0.1, 0.3}, 0.01));
  CHECK(open.status == Status::kCrossed);
  CHECK_FALSE(open.span.lo.has_value());
  CHECK(open.span.hi == 32.0);
}

TEST_CASE("a value's own level decides on its sign and on the set beside it", "[stats]") {
  std::vector<TestedValue> values = ladder({-0.3, -0.03, 0.1, 0.3}, 0.01);
  CHECK(rising(values).signs == std::vector<int>{-1, -1, 1, 1});

  values[1].level = 0.999;  // t = 5.04

  const Threshold t = rising(values);
  CHECK(t.signs == std::vector<int>{-1, 0, 1, 1});
  CHECK(t.set_linear.front().lo <
        rising(ladder({-0.3, -0.03, 0.1, 0.3}, 0.01)).set_linear.front().lo);
  values[1].level = 1.0;
  CHECK(rising(values).status == Status::kInvalidInput);
}

// At 2 degrees of freedom t is 4.30, at 20 it is 2.09: the value at 32 is resolved, whatever its
// neighbour has.
TEST_CASE("no set holds a resolved value, however few trials its neighbour has", "[stats]") {
  std::vector<TestedValue> values = ladder({-0.3, -0.1, 0.03, 0.3}, 0.01);
  values[1].df = 2.0;
  values[2].df = 20.0;
  for (TestedValue& value : values) {
    value.level = 0.95;
  }

  const Threshold t = rising(values);

  CHECK(t.signs[2] == 1);
  REQUIRE(t.set_curvature.size() == 1);
  CHECK(t.set_curvature.front().hi < 32.0);
}

}  // namespace
