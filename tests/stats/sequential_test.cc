#include "stats/sequential.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "stats/compare.h"
#include "stats/distributions.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

using LookCounts = std::vector<std::size_t>;

std::vector<double> critical_values(double alpha, const LookCounts& looks) {
  std::vector<double> values;
  for (const double level : look_levels(alpha, looks, looks.back()).levels) {
    values.push_back(-normal_quantile(level / 2.0));
  }
  return values;
}

// Share of `studies` without any difference in which some look calls one, by a t test.
double share_called(const LookCounts& looks, const std::vector<double>& levels, int studies) {
  test::Noise noise(20261122);
  int called = 0;
  for (int study = 0; study < studies; ++study) {
    std::vector<double> a;
    std::vector<double> b;
    bool is_called = false;
    for (std::size_t look = 0; look < looks.size() && !is_called; ++look) {
      while (a.size() < looks[look]) {
        a.push_back(noise.normal());
        b.push_back(noise.normal());
      }
      is_called = paired_t(a, b, 0.95).p.value_or(NAN) <= levels[look];
    }
    called += is_called ? 1 : 0;
  }
  return static_cast<double>(called) / studies;
}

}  // namespace

TEST_CASE("critical values at equal looks are the published ones", "[stats]") {
  // Lan-DeMets spending of Pocock's kind, alpha 0.05, as gsDesign and ldbounds print them.
  const std::vector<double> five = critical_values(0.05, {10, 20, 30, 40, 50});
  const std::vector<double> published{2.438, 2.427, 2.410, 2.397, 2.386};

  REQUIRE(five.size() == published.size());
  for (std::size_t i = 0; i < five.size(); ++i) {
    CHECK(five[i] == Approx(published[i]).margin(0.0006));
  }
}

TEST_CASE("a single look at the planned end is the plain test", "[stats]") {
  const LookLevels levels = look_levels(0.05, LookCounts{20}, 20);

  REQUIRE(levels.status == Status::kOk);
  CHECK(levels.levels.at(0) == Approx(0.05).epsilon(1e-9));
  const LookAdjustment plain(LookCounts{20}, 20);
  CHECK(plain.two_sided(0.03) == Approx(0.03).epsilon(1e-6));
  CHECK(plain.one_sided(0.03) == Approx(0.03).epsilon(1e-6));
}

TEST_CASE("an adjusted p value says the same as the level of its look", "[stats]") {
  const LookCounts looks{8, 12, 18, 27, 40};
  for (std::size_t count = 1; count <= looks.size(); ++count) {
    const LookCounts made(looks.begin(), looks.begin() + static_cast<std::ptrdiff_t>(count));
    const LookAdjustment adjustment(made, 40);
    for (const double alpha : {0.001, 0.05, 0.3}) {
      const double level = look_levels(alpha, made, 40).levels.back();
      CAPTURE(count, alpha);
      CHECK(adjustment.two_sided(level) == Approx(alpha).epsilon(0.005));
      CHECK(adjustment.two_sided(level) > level);
      CHECK(adjustment.one_sided(level / 2.0) == Approx(alpha / 2.0).epsilon(0.005));
    }
  }
}

TEST_CASE("the level of the last look is the p whose adjusted p is alpha", "[stats]") {
  const std::vector<std::size_t> looks = {8, 16, 32};
  const stats::LookAdjustment adjustment(looks, 32);
  for (const double alpha : {0.9, 0.05, 0.0125, 0.001}) {
    CHECK(adjustment.two_sided(adjustment.level(alpha)) == Approx(alpha).epsilon(1e-9));
  }
  for (const double alpha : {0.05, 0.0125, 0.001}) {
    CHECK(adjustment.level(alpha) ==
          Approx(stats::look_levels(alpha, looks, 32).levels.back()).epsilon(0.01));
  }
}

TEST_CASE("adjusted p values rise with p and end at 1", "[stats]") {
  const LookAdjustment adjustment(LookCounts{8, 12, 18}, 40);
  double before = 0.0;
  for (const double p : {0.0, 1e-300, 1e-12, 1e-4, 0.01, 0.2, 0.6, 1.0}) {
    const double adjusted = adjustment.two_sided(p);
    CAPTURE(p);
    CHECK(adjusted >= std::max(p, before));
    CHECK(adjusted <= 1.0);
    before = adjusted;
  }
  CHECK(before == 1.0);
  CHECK(adjustment.one_sided(0.9) == 1.0);
}

TEST_CASE("a difference that is not there is called in 5 % of studies over all looks", "[stats]") {
  const LookCounts looks{8, 12, 18, 27, 40};
  const std::vector<double> plain(looks.size(), 0.05);

  const double adjusted = share_called(looks, look_levels(0.05, looks, 40).levels, 20000);

  CHECK(adjusted > 0.045);
  CHECK(adjusted < 0.058);  // 5.3 % of 200,000, and three standard errors
  CHECK(share_called(looks, plain, 20000) > 0.11);
}

TEST_CASE("looks that are none have no level", "[stats]") {
  for (const LookCounts& looks :
       {LookCounts{}, LookCounts{0, 5}, LookCounts{5, 5}, LookCounts{8, 5}, LookCounts{5, 41}}) {
    CHECK(look_levels(0.05, looks, 40).status == Status::kInvalidInput);
    CHECK(look_levels(0.05, looks, 40).levels.empty());
    CHECK(std::isnan(LookAdjustment(looks, 40).two_sided(0.5)));
  }
  for (const double alpha : {0.0, 1.0, -0.1, static_cast<double>(NAN)}) {
    CHECK(look_levels(alpha, LookCounts{5, 10}, 40).status == Status::kInvalidInput);
  }
  CHECK(std::isnan(LookAdjustment(LookCounts{5}, 40).two_sided(NAN)));
  CHECK(std::isnan(LookAdjustment(LookCounts{5}, 40).two_sided(1.1)));
  CHECK(std::isnan(LookAdjustment(LookCounts{5}, 40).one_sided(-0.1)));
}
