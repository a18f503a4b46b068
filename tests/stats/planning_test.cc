#include "stats/planning.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "stats/alpha_beta.h"
#include "stats/distributions.h"
#include "stats/least_count.h"
#include "stats/ratio_interval.h"
#include "stats/reference/adaptive.h"
#include "stats/reference/crossing.h"
#include "stats/reference/fieller.h"
#include "stats/reference/gustafson.h"
#include "stats/reference/steady_state.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

TEST_CASE("without a difference the power is the false alarm rate", "[stats]") {
  CHECK(*power_t_two_sample(7.0, 0.0, 1.0, 0.05) == Approx(0.05));
  CHECK(*power_t_two_sample(7.0, -1.0, 1.0, 0.05) ==
        Approx(*power_t_two_sample(7.0, 1.0, 1.0, 0.05)));
}

TEST_CASE("a power needs two trials a side and a spread", "[stats]") {
  CHECK_FALSE(power_t_two_sample(1.0, 1.0, 1.0, 0.05).has_value());
  CHECK_FALSE(power_t_two_sample(5.0, 1.0, 0.0, 0.05).has_value());
}

// Of a spread of almost nothing: 1e-28, where Boost cannot number its terms.
TEST_CASE("any difference is found where trials hardly spread", "[stats]") {
  for (const double cv : {1e-4, 1e-10, 1e-28, 1e-300}) {
    INFO(cv);
    const TwoSampleSize size = sample_size_two_sample(cv, 0.02, 0.05, 0.8);
    CHECK(size.n_per_group == 2U);
    CHECK(*power_t_two_sample(2.0, std::log1p(0.02), cv, 0.05) == Approx(1.0));
  }
  // A level so small that t matters beside it: 2 degrees of freedom, whose chi squared is an
  // exponential, P = 1 - exp(-(ncp/t)^2), on both sides of where the formula changes.
  for (const double ncp : {9990.0, 10010.0, 1e6}) {
    CHECK(noncentral_t_upper_tail(9000.0, 2.0, ncp) ==
          Approx(1.0 - std::exp(-std::pow(ncp / 9000.0, 2.0))).epsilon(1e-4));
  }
}

// 13_planning.json (R 4.2.2): CV 2 %, difference 2 %, power 0.8 -> 18 trials a cell.
TEST_CASE("one trial fewer than planned misses the power", "[stats]") {
  const TwoSampleSize s = sample_size_two_sample(0.02, 0.02, 0.05, 0.8);

  CHECK(s.n_per_group == 18U);
  CHECK(*power_t_two_sample(18.0, std::log1p(0.02), 0.02, 0.05) >= 0.8);
  CHECK(*power_t_two_sample(17.0, std::log1p(0.02), 0.02, 0.05) < 0.8);
  CHECK(sample_size_two_sample(0.02, 0.0, 0.05, 0.8).status == Status::kInvalidInput);
}

// Both directions of one relation: n trials detect the ratio, n - 1 do not.
TEST_CASE("the smallest detectable ratio is the inverse of the sample size", "[stats]") {
  for (const std::size_t n : {3U, 5U, 10U, 18U, 65U}) {
    for (const double cv : {0.01, 0.05, 0.3}) {
      INFO("n " << n << ", cv " << cv);
      const DetectableRatio d = detectable_ratio(n, cv, 0.05, 0.8);
      REQUIRE(d.status == Status::kOk);
      CHECK(sample_size_two_sample(cv, *d.rel_diff * (1.0 + 1e-9), 0.05, 0.8).n_per_group == n);
      CHECK(sample_size_two_sample(cv, *d.rel_diff * (1.0 - 1e-9), 0.05, 0.8).n_per_group == n + 1);
    }
  }
}

// 13_planning.json (R 4.2.2): 18 trials of CV 2 % detect 2 %, 17 do not.
TEST_CASE("the smallest detectable ratio agrees with the published plan", "[stats]") {
  CHECK(*detectable_ratio(18, 0.02, 0.05, 0.8).rel_diff <= 0.02);
  CHECK(*detectable_ratio(17, 0.02, 0.05, 0.8).rel_diff > 0.02);
}

// The example of R's manual page of power.t.test, power = .90, delta = 1: n = 22.02110 a side.
TEST_CASE("the detectable effect is the noncentrality of a test with that power", "[stats]") {
  CHECK(*stats::detectable_effect(2.0 * 22.02110 - 2.0, 0.05, 0.9) ==
        Approx(std::sqrt(22.02110 / 2.0)).epsilon(1e-5));
  const double ratio = *stats::detectable_ratio(10, 0.03, 0.01, 0.8).rel_diff;
  CHECK(*stats::detectable_effect(18.0, 0.01, 0.8) ==
        Approx(std::log1p(ratio) / 0.03 * std::sqrt(10.0 / 2.0)));
  CHECK(*stats::detectable_effect(3.0, 0.01, 0.8) >
        stats::student_t_critical(0.99, 3.0) + stats::student_t_critical(0.6, 3.0));
  CHECK_FALSE(stats::detectable_effect(0.0, 0.05, 0.8));
  CHECK_FALSE(stats::detectable_effect(9.0, 0.05, 0.05));
  CHECK_FALSE(stats::detectable_effect(0.05, 1e-9, 0.8));  // beyond any effect
}

TEST_CASE("the detectable effect is the least that has the power", "[stats]") {
  for (const double df : {0.5, 1.0, 2.0, 3.0, 7.3, 60.0, 1e5}) {
    for (const double alpha : {0.2, 0.05, 0.05 / 768.0}) {
      for (const double power : {0.3, 0.8, 0.99}) {
        INFO("df " << df << ", alpha " << alpha << ", power " << power);
        const double t = stats::student_t_critical(1.0 - alpha, df);
        const auto power_at = [&](double effect) {
          return stats::noncentral_t_upper_tail(t, df, effect) +
                 stats::noncentral_t_lower_tail(-t, df, effect);
        };
        const std::optional<double> effect = stats::detectable_effect(df, alpha, power);
        REQUIRE(effect);
        CHECK(power_at(*effect * (1.0 + 1e-8)) >= power);
        CHECK(power_at(*effect * (1.0 - 1e-8)) < power);
      }
    }
  }
}

TEST_CASE("a detectable ratio needs two trials, a spread and a power above alpha", "[stats]") {
  CHECK(detectable_ratio(1, 0.02, 0.05, 0.8).status == Status::kInsufficientData);
  CHECK(detectable_ratio(5, 0.0, 0.05, 0.8).status == Status::kInvalidInput);
  CHECK(detectable_ratio(5, 0.02, 5.0, 0.8).status == Status::kInvalidInput);
  CHECK(detectable_ratio(5, 0.02, 0.05, 0.04).status == Status::kUnattainable);
  CHECK(detectable_ratio(2, 100.0, 0.05, 0.8).status == Status::kUnattainable);
}

TEST_CASE("a pilot that is precise enough asks for no more trials", "[stats]") {
  const std::vector<double> pilot{1.0, 1.001, 0.999};

  const TwoStagePlan p = two_stage_plan(pilot, 0.5, 0.95, 60);

  CHECK(p.total_trials == 3U);
  CHECK(two_stage_plan(std::vector<double>{1.0}, 0.5, 0.95, 60).status ==
        Status::kInsufficientData);
}

TEST_CASE("trials that differ less than their steps allow leave the steps as planned", "[stats]") {
  const std::vector<std::vector<double>> trials{{1.0, 2.0, 3.0}, {1.1, 1.9, 3.0}};

  const OptimalSteps k = kalibera_optimal(trials, 30.0, 0.1);

  CHECK(k.status == Status::kNegativeComponent);
  CHECK_FALSE(k.optimal_steps.has_value());
}

TEST_CASE("Fieller agrees with the log interval when the noise is small", "[stats]") {
  const std::vector<double> a{0.2, 0.201, 0.199, 0.2005};
  const std::vector<double> b{0.1, 0.1008, 0.0995, 0.1};

  const FiellerRatio f = fieller_ratio(a, b, 0.95);
  const RatioInterval r = log_ratio_delta(a, b, 0.95);

  REQUIRE(f.status == Status::kBounded);
  CHECK(*f.lo == Approx(*r.lo).epsilon(1e-3));
  CHECK(*f.hi == Approx(*r.hi).epsilon(1e-3));
  CHECK(fieller_ratio(a, std::vector<double>{-1.0, 1.0}, 0.95).status == Status::kDegenerate);
}

TEST_CASE("a line crosses its target where arithmetic says", "[stats]") {
  const std::vector<double> x{1.0, 2.0, 3.0, 4.0};
  const std::vector<double> y{1.0, 3.0, 5.0, 7.0};  // y = 2x - 1

  const LineCrossing inside = linreg_crossing(x, y, Predictor::kIdentity, 4.0, 0.95);
  const LineCrossing beyond = linreg_crossing(x, y, Predictor::kIdentity, 11.0, 0.95);

  CHECK(inside.status == Status::kOk);
  CHECK(*inside.x0 == Approx(2.5));
  CHECK(beyond.status == Status::kExtrapolated);
  CHECK(*beyond.x0 == Approx(6.0));
}

TEST_CASE("a flat line crosses nowhere", "[stats]") {
  const std::vector<double> x{1.0, 2.0, 3.0};

  const LineCrossing c =
      linreg_crossing(x, std::vector<double>{2.0, 2.0, 2.0}, Predictor::kIdentity, 1.0, 0.95);

  CHECK(c.status == Status::kUnresolved);
  CHECK_FALSE(c.x0.has_value());
}

TEST_CASE("exact transfer times give latency and bandwidth back", "[stats]") {
  const std::vector<double> bytes{1e3, 1e5, 1e7};
  std::vector<double> seconds;
  seconds.reserve(bytes.size());
  for (const double size : bytes) {
    seconds.push_back(2e-5 + size / 1e9);
  }

  const AlphaBetaFit f = alpha_beta_fit(bytes, seconds, 0.95);

  CHECK(*f.alpha_s == Approx(2e-5));
  CHECK(*f.bandwidth_bytes_per_s == Approx(1e9));
}

TEST_CASE("a time that falls with the size has no bandwidth", "[stats]") {
  const AlphaBetaFit f =
      alpha_beta_fit(std::vector<double>{1.0, 2.0, 3.0}, std::vector<double>{3.0, 2.0, 1.0}, 0.95);

  CHECK(f.beta_s_per_byte.has_value());
  CHECK_FALSE(f.bandwidth_bytes_per_s.has_value());
}

TEST_CASE("a weak-scaling curve on one device has no serial fraction", "[stats]") {
  const std::vector<double> ones(3, 1.0);

  CHECK(gustafson_line(ones, ones, 0.95).status == Status::kDegenerate);
  CHECK(
      *gustafson_line(std::vector<double>{1.0, 2.0, 4.0}, std::vector<double>{1.0, 1.9, 3.7}, 0.95)
           .serial_fraction == Approx(0.1));
}

TEST_CASE("a slow start is cut away whole", "[stats]") {
  std::vector<double> steps(20, 2.0);
  for (int i = 0; i < 80; ++i) {
    steps.push_back(1.0 + 0.01 * (i % 2));
  }

  const SteadyState s = mser5(steps);

  CHECK(s.status == Status::kOk);
  CHECK(s.truncate_steps == 20U);
}

}  // namespace

// The power integrated numerically in Python 3.11, over the distribution of the standard deviation:
// for an effect of 0.5 it is 0.79537 at 33 and 0.80778 at 34, of 1 0.74802 at 9 and 0.80310 at 10,
// of 0.8 0.79009 and 0.82131 at 14 and 15, of 0.2 0.79970 and 0.80169 at 198 and 199.
TEST_CASE("one trial fewer than a mean against a level needs misses the power", "[stats]") {
  CHECK(sample_size_one_sample(0.5, 0.05, 0.8) == 34U);
  CHECK(sample_size_one_sample(1.0, 0.05, 0.8) == 10U);
  CHECK(sample_size_one_sample(0.8, 0.05, 0.8) == 15U);
  CHECK(sample_size_one_sample(0.2, 0.05, 0.8) == 199U);
  CHECK(sample_size_one_sample(1e-9, 0.05, 0.8) == std::nullopt);
  CHECK(sample_size_one_sample(0.0, 0.05, 0.8) == std::nullopt);
  CHECK(sample_size_one_sample(1.0, 1.0, 0.8) == std::nullopt);
}

TEST_CASE("a count is looked for up to the most, and no further", "[stats]") {
  const auto from = [](std::size_t least) {
    return [least](std::size_t count) { return count >= least; };
  };
  CHECK(least_count(100, from(0)) == 2U);
  CHECK(least_count(100, from(3)) == 3U);
  CHECK(least_count(100, from(64)) == 64U);
  CHECK(least_count(100, from(65)) == 65U);
  CHECK(least_count(100, from(100)) == 100U);
  CHECK(least_count(100, from(101)) == std::nullopt);
  CHECK(least_count(2, from(3)) == std::nullopt);
}

// By hand, with normal quantiles: 2 ((1.959964 + 0.841621) 2 / ln 1.01)^2 = 634,194.7, to which a t
// test adds 1.959964^2 / 4 = 1.0. A spread 1.3 times as wide needs 1,071,789.
TEST_CASE("a difference that more than half a million trials detect is within reach", "[stats]") {
  const TwoSampleSize size = sample_size_two_sample(2.0, 0.01, 0.05, 0.8);

  REQUIRE(size.n_per_group);
  const auto n = static_cast<double>(*size.n_per_group);
  CHECK(size.status == Status::kOk);
  CHECK(n == Approx(634'195.7));
  CHECK(*power_t_two_sample(n, std::log1p(0.01), 2.0, 0.05) >= 0.8);
  CHECK(*power_t_two_sample(n - 1.0, std::log1p(0.01), 2.0, 0.05) < 0.8);
  CHECK(sample_size_two_sample(2.6, 0.01, 0.05, 0.8).status == Status::kUnattainable);
}

// By hand: ((1.959964 + 0.841621) / 0.0033)^2 = 720,741.9, and 1.959964^2 / 2 = 1.9 for the t test.
// An effect of 0.0028 needs 1,001,133.
TEST_CASE("a level that more than half a million trials tell apart is within reach", "[stats]") {
  const std::optional<std::size_t> trials = sample_size_one_sample(0.0033, 0.05, 0.8);

  REQUIRE(trials);
  const auto n = static_cast<double>(*trials);
  CHECK(n == Approx(720'743.9));
  const auto power_at = [](double count) {
    const double t = student_t_critical(0.95, count - 1.0);
    const double ncp = 0.0033 * std::sqrt(count);
    return noncentral_t_upper_tail(t, count - 1.0, ncp) +
           noncentral_t_lower_tail(-t, count - 1.0, ncp);
  };
  CHECK(power_at(n) >= 0.8);
  CHECK(power_at(n - 1.0) < 0.8);
  CHECK(sample_size_one_sample(0.0028, 0.05, 0.8) == std::nullopt);
}
