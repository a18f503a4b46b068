#include "stats/bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/mean_interval.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy::stats;
using scalestudy::test::Noise;

namespace {

Estimate make(double value, double half_width) {
  return {.value = value, .lo = value - half_width, .hi = value + half_width};
}

TEST_CASE("a narrow interval keeps its ends, a wide one ends before its bounds", "[stats]") {
  const Estimate narrow = keep_inside(make(0.88, 0.011), Range::kShare);
  CHECK(*narrow.lo == 0.88 - 0.011);
  CHECK(*narrow.hi == 0.88 + 0.011);

  // 2 [0, 4]: ln 2 -+ 1. 0.88 -+ 0.62: ln(0.88/0.12) = 1.992430 -+ 0.62/(0.88 0.12) = 5.871212, by
  // hand; 1/(1 + exp(3.878782)) and 1/(1 + exp(-7.863642)).
  const Estimate time = keep_inside(make(2.0, 2.0), Range::kPositive);
  CHECK(*time.lo == Approx(2.0 / std::exp(1.0)));
  CHECK(*time.hi == Approx(2.0 * std::exp(1.0)));
  const Estimate share = keep_inside(make(0.88, 0.62), Range::kShare);
  CHECK(*share.lo == Approx(0.0202572).epsilon(1e-5));
  CHECK(*share.hi == Approx(0.999616).epsilon(1e-6));
  const Estimate percent = keep_inside(make(88.0, 62.0), Range::kPercent);  // the same share
  CHECK(*percent.lo == Approx(2.02572).epsilon(1e-5));
  CHECK(*percent.hi == Approx(99.9616).epsilon(1e-6));
}

TEST_CASE("what is only below one may end below 0", "[stats]") {
  const Estimate hidden = keep_inside(make(0.5, 1.0), Range::kBelowOne);  // 1 - 0.5 exp(-+ 2)
  CHECK(*hidden.lo == Approx(1.0 - 0.5 * std::exp(2.0)));
  CHECK(*hidden.hi == Approx(1.0 - 0.5 * std::exp(-2.0)));
}

TEST_CASE("the scale takes over where it hardly moves an end", "[stats]") {
  for (const Range range : {Range::kPositive, Range::kShare, Range::kBelowOne}) {
    const Estimate below = keep_inside(make(0.5, 0.05 - 1e-12), range);
    const Estimate above = keep_inside(make(0.5, 0.05 + 1e-12), range);
    CHECK(*above.lo == Approx(*below.lo).margin(0.06 * 0.05));
    CHECK(*above.hi == Approx(*below.hi).margin(0.06 * 0.05));
    CHECK(std::abs(*above.lo - *below.lo) > 1e-4);
  }
}

TEST_CASE("what has no bound, or lies on one, keeps its interval", "[stats]") {
  CHECK(*keep_inside(make(0.1, 0.4), Range::kAny).lo == Approx(-0.3));
  CHECK(*keep_inside(make(0.0, 0.0), Range::kShare).lo == 0.0);
  CHECK(*keep_inside(make(1.0, 0.0), Range::kShare).hi == 1.0);
  CHECK_FALSE(keep_inside({.value = 1.0, .lo = {}, .hi = {}}, Range::kPositive).lo.has_value());
}

TEST_CASE("a level lies outside the interval exactly where it is a half-width away", "[stats]") {
  for (const Range range : {Range::kAny, Range::kPositive, Range::kShare, Range::kBelowOne}) {
    for (const double half_width : {0.01, 0.3}) {
      const Estimate plain = make(0.6, half_width);
      const Estimate kept = keep_inside(plain, range);
      CHECK(*half_widths_above(plain, range, *kept.lo) == Approx(1.0));
      CHECK(*half_widths_above(plain, range, *kept.hi) == Approx(-1.0));
    }
  }
  CHECK(std::isinf(*half_widths_above(make(0.6, 0.3), Range::kPositive, 0.0)));
  CHECK(*half_widths_above(make(0.6, 0.3), Range::kShare, 1.2) < -1e300);
  CHECK(*half_widths_above(make(60.0, 30.0), Range::kPercent, 120.0) < -1e300);
}

TEST_CASE("a value beyond a bound that it can lie on is moved there with its interval", "[stats]") {
  const Estimate x = cut({.value = 1.27, .lo = 0.8, .hi = 1.9}, 0.0, 1.0);
  CHECK(*x.value == 1.0);
  CHECK(*x.lo == 0.8);
  CHECK(*x.hi == 1.0);
}

// Shares of three and more trials that lie near 1, and times that spread by half of their mean: the
// t interval leaves the bounds in these studies, and cut there it covers no more than before.
TEST_CASE("intervals on the scale of their bounds cover where t intervals do not", "[stats]") {
  constexpr int replicates = 4000;
  const auto coverage = [&](Range range, std::size_t n, double truth, const auto& draw) {
    int kept_in = 0;
    int plain_in = 0;
    for (int r = 0; r < replicates; ++r) {
      std::vector<double> x(n);
      std::ranges::generate(x, draw);
      const Estimate plain = estimate_of(mean_ci_t(x, 0.95));
      const Estimate kept = keep_inside(plain, range);
      kept_in += *kept.lo <= truth && truth <= *kept.hi ? 1 : 0;
      plain_in += *plain.lo <= truth && truth <= *plain.hi ? 1 : 0;
    }
    return std::pair(static_cast<double>(kept_in) / replicates,
                     static_cast<double>(plain_in) / replicates);
  };
  Noise noise(20261126);
  for (const std::size_t n : {3U, 5U, 10U}) {
    INFO(n << " trials");
    // 1 - u/10, u uniform to the fifth power, the mean of which is 1/6
    const auto [share, cut_share] = coverage(Range::kShare, n, 1.0 - 1.0 / 60.0, [&] {
      return 1.0 - 0.1 * std::pow(noise.uniform(), 5.0);
    });
    CHECK(share > cut_share + 0.03);
    // lognormal, of mean 1
    constexpr double sd = 0.55;
    const auto [time, cut_time] = coverage(
        Range::kPositive, n, 1.0, [&] { return noise.factor(sd) * std::exp(-0.5 * sd * sd); });
    CHECK(time > cut_time);
    CHECK(time > 0.92);
  }
}

}  // namespace
