#include "stats/mean_interval.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace scalestudy::stats {
namespace {

TEST_CASE("a mean interval is absent for fewer than two trials", "[stats]") {
  const MeanInterval none = mean_ci_t({}, 0.95);
  const MeanInterval one = mean_ci_t(std::vector<double>{2.0}, 0.95);

  CHECK(none.status == Status::kInsufficientData);
  CHECK_FALSE(none.mean.has_value());
  CHECK(one.status == Status::kInsufficientData);
  CHECK(one.mean == 2.0);
  CHECK_FALSE(one.lo.has_value());
}

// t(0.975, 1) = 12.706 (any table); sd = 1/sqrt(2), se = 1/2.
TEST_CASE("two trials give a wide interval, not none", "[stats]") {
  const MeanInterval m = mean_ci_t(std::vector<double>{1.0, 2.0}, 0.95);

  CHECK(m.status == Status::kOk);
  CHECK(*m.hi - *m.mean == Approx(12.706 * 0.5).epsilon(1e-4));
}

TEST_CASE("95 is not a confidence level", "[stats]") {
  const std::vector<double> x{1.0, 2.0, 3.0};

  CHECK(mean_ci_t(x, 95.0).status == Status::kInvalidInput);
  CHECK(mean_ci_t(x, std::nan("")).status == Status::kInvalidInput);
}

TEST_CASE("equal trials give an interval of width zero that says so", "[stats]") {
  const MeanInterval m = mean_ci_t(std::vector<double>(5, 0.3), 0.95);

  CHECK(m.status == Status::kZeroVariance);
  CHECK(m.lo == 0.3);
  CHECK(m.hi == 0.3);
}

TEST_CASE("values whose variance overflows are refused", "[stats]") {
  const MeanInterval m = mean_ci_t(std::vector<double>{1e200, 2e200, 4e200}, 0.95);

  CHECK(m.status == Status::kInvalidInput);
  CHECK_FALSE(m.lo.has_value());
}

struct Coverage {
  double trial_t = 0.0;
  double pooled_steps = 0.0;
};

// Share of `replicates` cells of 5 trials x 100 steps whose interval holds the true mean 1: trials
// differ by 1 %, steps by 3 % (statistics.md 15, row 2).
Coverage simulate(test::Random& random, std::size_t replicates) {
  constexpr std::size_t trials = 5;
  constexpr std::size_t steps = 100;
  Coverage coverage;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> means;
    std::vector<double> pooled;
    for (std::size_t t = 0; t < trials; ++t) {
      const double launch = 1.0 + 0.01 * random.normal();
      double sum = 0.0;
      for (std::size_t s = 0; s < steps; ++s) {
        pooled.push_back(launch + 0.03 * random.normal());
        sum += pooled.back();
      }
      means.push_back(sum / steps);
    }
    const MeanInterval of_trials = mean_ci_t(means, 0.95);
    const MeanInterval of_steps = mean_ci_t(pooled, 0.95);
    coverage.trial_t += *of_trials.lo <= 1.0 && 1.0 <= *of_trials.hi ? 1.0 : 0.0;
    coverage.pooled_steps += *of_steps.lo <= 1.0 && 1.0 <= *of_steps.hi ? 1.0 : 0.0;
  }
  coverage.trial_t /= static_cast<double>(replicates);
  coverage.pooled_steps /= static_cast<double>(replicates);
  return coverage;
}

TEST_CASE("trial intervals cover 95 % and pooled-step intervals do not", "[stats]") {
  test::Random random(20261121);
  INFO(random.describe());
  const std::size_t replicates = 4000;
  // Four Monte-Carlo standard errors: one false alarm in 16000 seeds.
  const double bound = 4.0 * std::sqrt(0.95 * 0.05 / static_cast<double>(replicates));

  const Coverage coverage = simulate(random, replicates);

  CHECK(std::abs(coverage.trial_t - 0.95) <= bound);
  CHECK(coverage.pooled_steps < 0.60);  // the negative control of statistics.md 15, G7
}

}  // namespace
}  // namespace scalestudy::stats
