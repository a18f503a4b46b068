#include "stats/drift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/reference/batch_means.h"
#include "stats/variance_components.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

TEST_CASE("reversing the run order reverses the trend", "[stats]") {
  const std::vector<double> up{1.0, 1.2, 1.1, 1.4, 1.5, 1.45};
  const std::vector<double> down(up.rbegin(), up.rend());

  const MannKendall a = mann_kendall_stratified(std::vector<std::vector<double>>{up});
  const MannKendall b = mann_kendall_stratified(std::vector<std::vector<double>>{down});

  CHECK(*a.s == -*b.s);
  CHECK(*a.s > 0.0);
  CHECK(*a.theil_sen_slope == Approx(-*b.theil_sen_slope));
  CHECK(*a.p == Approx(*b.p));
}

TEST_CASE("a constant machine has no trend and no p value", "[stats]") {
  const MannKendall m =
      mann_kendall_stratified(std::vector<std::vector<double>>{std::vector<double>(5, 0.2)});

  CHECK(m.status == Status::kZeroVariance);
  CHECK(*m.s == 0.0);
  CHECK_FALSE(m.p.has_value());
}

TEST_CASE("strata add their trends and not their levels", "[stats]") {
  // Two cells that both rise by 0.1 a trial, the second at half the level: over both in a row the
  // level hides it.
  const std::vector<std::vector<double>> cells = {{2.0, 2.1, 2.2, 2.3}, {1.0, 1.1, 1.2, 1.3}};
  const MannKendall m = mann_kendall_stratified(cells);

  // By hand: s = 6 + 6, var = 2 x 4 x 3 x 13 / 18, z = 11 / sqrt(17.333).
  CHECK(*m.s == 12.0);
  CHECK(*m.var_s == Approx(2.0 * 4.0 * 3.0 * 13.0 / 18.0));
  CHECK(*m.z == Approx(11.0 / std::sqrt(52.0 / 3.0)));
  CHECK(*m.theil_sen_slope == Approx(0.1));
  CHECK(mann_kendall_stratified({}).status == Status::kInsufficientData);
}

TEST_CASE("two trials have no trend", "[stats]") {
  CHECK(mann_kendall_stratified(std::vector<std::vector<double>>{{1.0, 2.0}}).status ==
        Status::kInsufficientData);
}

TEST_CASE("the rank von Neumann ratio has the mean and variance of all orders", "[stats]") {
  for (std::vector<double> values :
       {std::vector<double>{1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6, 7}}) {
    // If the mean is 2 D and the variance right, z has mean 0 and variance 1 over all orders.
    double sum = 0.0;
    double squares = 0.0;
    double orders = 0.0;
    do {
      const SerialCorrelation one =
          rank_von_neumann_stratified(std::vector<std::vector<double>>{values});
      sum += *one.z;
      squares += *one.z * *one.z;
      orders += 1.0;
    } while (std::next_permutation(values.begin(), values.end()));
    CHECK(sum / orders == Approx(0.0).margin(1e-9));
    CHECK(squares / orders == Approx(1.0));
  }
}

TEST_CASE("neighbours that are alike have a small p, and alternating ones none", "[stats]") {
  const auto p_of = [](const std::vector<std::vector<double>>& strata) {
    return *rank_von_neumann_stratified(strata).p;
  };
  const std::vector<double> waves{1.0, 1.1, 1.2, 1.3, 3.0, 3.1, 3.3, 3.2, 1.4, 1.5, 1.6};
  const std::vector<double> turns{1, 6, 2, 5, 3, 4};  // 55 instead of 35 on average

  CHECK(p_of({waves}) < 0.01);
  CHECK(p_of({turns}) > 0.9);
  CHECK(p_of({waves, waves}) < p_of({waves}));
  // A level of its own changes nothing, nor does a stratum of two.
  std::vector<double> higher = waves;
  for (double& value : higher) {
    value += 100.0;
  }
  CHECK(p_of({waves, higher, {1.0, 9.0}}) == Approx(p_of({waves, waves})));
}

TEST_CASE("ties get the mean of their ranks", "[stats]") {
  const SerialCorrelation tied =
      rank_von_neumann_stratified(std::vector<std::vector<double>>{{1.0, 1.0, 2.0, 3.0}});

  // By hand: ranks 1.5, 1.5, 3, 4, so D = 4.5, the sum of squares 3.25 and its variance 11.34.
  CHECK(*tied.z == Approx((3.25 - 9.0) / std::sqrt(11.34)));
}

TEST_CASE("nothing is alike in too few values, equal ones or infinite ones", "[stats]") {
  using Strata = std::vector<std::vector<double>>;
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(rank_von_neumann_stratified({}).status == Status::kInsufficientData);
  CHECK(rank_von_neumann_stratified(Strata{{1.0, 2.0}}).status == Status::kInsufficientData);
  CHECK(rank_von_neumann_stratified(Strata{{2.0, 2.0, 2.0}}).status == Status::kZeroVariance);
  CHECK(rank_von_neumann_stratified(Strata{{1.0, inf, 2.0}}).status == Status::kInvalidInput);
  CHECK_FALSE(standard_error_inflation({}).has_value());
  CHECK_FALSE(standard_error_inflation(Strata{{2.0, 2.0, 2.0}}).has_value());
  CHECK_FALSE(standard_error_inflation(Strata{{1.0, inf, 2.0}}).has_value());
}

// The mean of n values of an AR(1) process of correlation f has a standard error sqrt((1 + f) /
// (1 - f)) times that of independent ones.
TEST_CASE("the standard error's inflation is that of a process of known correlation", "[stats]") {
  test::Random random(11);
  INFO(random.describe());
  for (const double correlation : {0.0, 0.5, 0.8}) {
    std::vector<std::vector<double>> strata(2);
    for (std::vector<double>& values : strata) {
      double value = 0.0;
      for (int i = 0; i < 20000; ++i) {
        value = correlation * value + random.normal();
        values.push_back(value + 100.0 * static_cast<double>(&values - strata.data()));
      }
    }
    CHECK(*standard_error_inflation(strata) ==
          Approx(std::sqrt((1.0 + correlation) / (1.0 - correlation))).epsilon(0.05));
  }
}

// Steps 1.00, 1.01 ... 1.10: slope 0.01 a step on a mean of 1.05, so 1/1.05 per 100 steps.
TEST_CASE("a drift slope is relative to the trial's mean", "[stats]") {
  std::vector<double> ramp;
  for (int i = 0; i <= 10; ++i) {
    ramp.push_back(1.0 + 0.01 * i);
  }
  std::vector<double> doubled;
  doubled.reserve(ramp.size());
  for (const double step : ramp) {
    doubled.push_back(2.0 * step);
  }

  const DriftSlopes d = drift_slopes(std::vector<std::vector<double>>{ramp, doubled}, 0.95);

  CHECK(d.slope_per_100_steps[0] == Approx(1.0 / 1.05));
  CHECK(d.slope_per_100_steps[1] == Approx(1.0 / 1.05));
}

TEST_CASE("batch means leave the first remainder out and need 25 steps", "[stats]") {
  std::vector<double> steps{9.0, 9.0};  // a slow start that 27 = 2 + 5 * 5 drops
  for (int i = 0; i < 25; ++i) {
    steps.push_back(1.0 + 0.01 * (i % 3));
  }

  const BatchMeans b = batch_means_ci(steps, 0.95);

  CHECK(b.batches == 5);
  CHECK(b.dropped == 2U);
  CHECK(*b.interval.hi < 1.1);
  CHECK(batch_means_ci(std::vector<double>(24, 1.0), 0.95).status == Status::kInsufficientData);
}

TEST_CASE("variance components find a spread between trials", "[stats]") {
  test::Random random(3);
  INFO(random.describe());
  std::vector<std::vector<double>> trials(40);
  for (std::vector<double>& trial : trials) {
    const double launch = 10.0 + 2.0 * random.normal();
    for (int s = 0; s < 50; ++s) {
      trial.push_back(launch + random.normal());
    }
  }

  const VarianceComponents v = variance_components(trials);

  REQUIRE(v.status == Status::kOk);
  CHECK(*v.var_within == Approx(1.0).epsilon(0.15));
  CHECK(*v.var_between == Approx(4.0).epsilon(0.9));  // 4 sd of a variance from 40 trials
}

TEST_CASE("trials of one step each do not identify the spread within", "[stats]") {
  const std::vector<std::vector<double>> trials{{1.0}, {2.0}};

  const VarianceComponents v = variance_components(trials);

  CHECK(v.status == Status::kInsufficientData);
  CHECK_FALSE(v.var_within.has_value());
}

}  // namespace
