#include "stats/stopping.h"

#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "stats/median_interval.h"
#include "stats/reference/adaptive.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

const std::vector<double> kSteady{1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 1.0, 1.01};

StoppingPlan plan_of(std::size_t t_min, std::size_t t_max) {
  StoppingPlan plan;
  plan.t_min = t_min;
  plan.t_max = t_max;
  return plan;
}

TEST_CASE("precision stops only after the extra trials", "[stats]") {
  const StoppingPlan plan = plan_of(5, 20);
  const std::span<const double> trials(kSteady);

  const Stopping waiting = stopping_rule(trials.first(6), plan);
  const Stopping done = stopping_rule(trials.first(7), plan);

  CHECK(waiting.target_met_at == 5U);
  CHECK(waiting.reason == StopReason::kContinue);
  CHECK_FALSE(waiting.stop_at.has_value());
  CHECK(done.reason == StopReason::kPrecision);
  CHECK(done.stop_at == 7U);
}

TEST_CASE("the budget wins over the extra trials", "[stats]") {
  const Stopping s = stopping_rule(kSteady, plan_of(5, 6));

  CHECK(s.stop_at == 6U);
  CHECK(s.reason == StopReason::kPrecision);
}

TEST_CASE("later trials never change an earlier decision", "[stats]") {
  const StoppingPlan plan = plan_of(3, 20);
  std::vector<double> trials = kSteady;
  const Stopping before = stopping_rule(trials, plan);
  trials.push_back(50.0);

  CHECK(stopping_rule(trials, plan).stop_at == before.stop_at);
  CHECK(stopping_rule(trials, plan).mean == before.mean);
}

// Steady from the start: a look is all it takes. Looks at 5, 10, 15, 20, 30, 40.
TEST_CASE("widening looks stop at their own counts only", "[stats]") {
  const std::vector<double> trials(60, 1.0);
  StoppingPlan plan = plan_of(2, 60);
  plan.looks = Looks::kWidening;

  CHECK(stopping_rule(trials, plan).target_met_at == 5U);
  plan.t_min = 16;
  CHECK(stopping_rule(trials, plan).target_met_at == 20U);
  plan.t_min = 21;
  CHECK(stopping_rule(trials, plan).target_met_at == 30U);
}

TEST_CASE("no trials yet means continue", "[stats]") {
  const Stopping s = stopping_rule({}, StoppingPlan{});

  CHECK(s.status == Status::kInsufficientData);
  CHECK(s.reason == StopReason::kContinue);
}

TEST_CASE("a plan that looks before two trials is refused", "[stats]") {
  CHECK(stopping_rule(kSteady, plan_of(1, 20)).status == Status::kInvalidInput);
  CHECK(stopping_rule(kSteady, plan_of(5, 4)).status == Status::kInvalidInput);
}

TEST_CASE("one trial fewer than the sample size misses the precision", "[stats]") {
  const SampleSize enough = sample_size_ci(0.03, 0.02, 0.95);

  CHECK(enough.n == 12U);  // 13_planning.json (R 4.2.2)
  CHECK(*enough.half_width <= 0.02);
  CHECK(sample_size_ci(0.03, *enough.half_width * 0.999, 0.95).n == 13U);
}

// By hand, with a normal quantile: (1.959964 / 7.4e-5)^2 = 701,508,185. 6.1e-5 needs 1,032,372,701.
TEST_CASE("a precision that more than half of 10^9 trials reach is within reach", "[stats]") {
  const SampleSize size = sample_size_ci(1.0, 7.4e-5, 0.95);

  REQUIRE(size.n);
  const auto n = static_cast<double>(*size.n);
  CHECK(size.status == Status::kOk);
  CHECK(n == Approx(701'508'185.0));
  CHECK(student_t_critical(0.95, n - 1.0) / std::sqrt(n) <= 7.4e-5);
  CHECK(student_t_critical(0.95, n - 2.0) / std::sqrt(n - 1.0) > 7.4e-5);
  CHECK(sample_size_ci(1.0, 6.1e-5, 0.95).status == Status::kUnattainable);
}

TEST_CASE("a precision out of reach is said to be so", "[stats]") {
  CHECK(sample_size_ci(0.03, 1e-12, 0.95).status == Status::kUnattainable);
  CHECK(sample_size_ci(0.0, 0.02, 0.95).status == Status::kInvalidInput);
}

TEST_CASE("a pilot says how many trials a precision needs, and how little it knows", "[stats]") {
  // Ten trials of mean 1 and cv 3 %. Chi-squared with 9 degrees of freedom has its 2.5 % points at
  // 2.70039 and 19.02277: cv from 2.0635 to 5.4768 %. Half-widths of t(n-1) cv / sqrt(n) <= 2 %:
  // t(6) 2.0635 / sqrt(7) = 1.91 and t(5) 2.0635 / sqrt(6) = 2.17; t(31) 5.4768 / sqrt(32) = 1.97
  // and t(30) 5.4768 / sqrt(31) = 2.01; 12 for 3 % as in 13_planning.json.
  const double d = 0.03 * std::sqrt(0.9);
  const std::vector<double> pilot{
      1 - d, 1 + d, 1 - d, 1 + d, 1 - d, 1 + d, 1 - d, 1 + d, 1 - d, 1 + d};

  const PilotSampleSize size = sample_size_from_pilot(pilot, 0.02, 0.95);

  CHECK(size.status == Status::kOk);
  CHECK(*size.cv == Approx(0.03));
  CHECK(size.n == 12U);
  CHECK(size.n_lo == 7U);
  CHECK(size.n_hi == 32U);
  const PilotSampleSize none = sample_size_from_pilot(pilot, 0.0, 0.95);
  CHECK(none.status == Status::kInvalidInput);
  CHECK_FALSE(none.cv.has_value());
}

TEST_CASE("a pilot whose spread has fewer degrees of freedom knows less", "[stats]") {
  // Chi-squared with 5 degrees of freedom has its 2.5 % points at 0.83121 and 12.83250: cv from
  // 1.8726 to 7.3578 %. t(5) 1.8726 / sqrt(6) = 1.97 and t(4) 1.8726 / sqrt(5) = 2.33; t(54) 7.3578
  // / sqrt(55) = 1.99 and t(53) 7.3578 / sqrt(54) = 2.01.
  const double d = 0.03 * std::sqrt(0.9);
  const std::vector<double> pilot{
      1 - d, 1 + d, 1 - d, 1 + d, 1 - d, 1 + d, 1 - d, 1 + d, 1 - d, 1 + d};

  const PilotSampleSize size = sample_size_from_pilot(pilot, 0.02, 0.95, 5.0);

  CHECK(*size.cv == Approx(0.03));
  CHECK(size.n == 12U);
  CHECK(size.n_lo == 6U);
  CHECK(size.n_hi == 55U);
  CHECK(sample_size_from_pilot(pilot, 0.02, 0.95, 0.0).status == Status::kInvalidInput);
}

TEST_CASE("a pilot of one trial, or without spread, says nothing", "[stats]") {
  CHECK(sample_size_from_pilot(std::vector<double>{1.0}, 0.02, 0.95).status ==
        Status::kInsufficientData);
  CHECK(sample_size_from_pilot(std::vector<double>{1.0, 1.0}, 0.02, 0.95).status ==
        Status::kZeroVariance);
  CHECK(sample_size_from_pilot(std::vector<double>{1.0, -1.0}, 0.02, 0.95).status ==
        Status::kInvalidInput);
}

TEST_CASE("a median interval at 95 % needs six trials", "[stats]") {
  const std::vector<double> six{3.0, 1.0, 2.0, 6.0, 5.0, 4.0};

  const MedianInterval five = median_ci_order(std::span<const double>(six).first(5), 0.95);
  const MedianInterval all = median_ci_order(six, 0.95);

  CHECK(five.status == Status::kUnattainable);
  CHECK_FALSE(five.lo.has_value());
  CHECK(*five.max_coverage == Approx(0.9375));
  CHECK(all.lo == 1.0);
  CHECK(all.hi == 6.0);
  CHECK(*all.coverage == Approx(0.96875));
}

// P(Bin(n, 1/2) <= d - 1) is a whole number over 2^n, exact in a double for these n.
TEST_CASE("a level attained exactly counts as attained", "[stats]") {
  for (std::size_t n = 5; n <= 40; ++n) {
    const std::vector<double> x(n, 1.0);
    double term = std::ldexp(1.0, -static_cast<int>(n));
    double tail = 0.0;
    for (std::size_t d = 1; 2 * d <= n; ++d) {
      tail += term;
      term *= static_cast<double>(n + 1 - d) / static_cast<double>(d);
      if (tail < 0.45) {
        INFO("n " << n << ", rank " << d);
        CHECK(median_ci_order(x, 1.0 - 2.0 * tail).rank_lo == d);
      }
    }
  }
}

}  // namespace
