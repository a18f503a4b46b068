#include "stats/period.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tests/stats/simulation/periods.h"
#include "tests/support/catch.h"

namespace scalestudy::test {
namespace {

using namespace stats;

// Every third step, from the second on, is longer than those beside it.
const std::vector<double> kEveryThird{1.0, 5.0, 1.1, 1.2, 5.1, 1.3, 1.4, 5.2, 1.5, 1.6, 5.3, 1.7};

std::optional<Period> period_of(const std::vector<std::vector<double>>& trials,
                                double alpha = 0.05) {
  PeriodEvidence evidence;
  for (const std::vector<double>& trial : trials) {
    add_steps(evidence, trial);
  }
  return find_period(evidence, alpha);
}

}  // namespace

TEST_CASE("a period's p value is that of as many peaks by chance", "[stats]") {
  // By hand. Period 3: four windows of three steps, each longest in the middle, at one of three
  // phases: p = 3 / 3^4 = 1/27; five periods (2 to 6) fit into twelve steps.
  PeriodEvidence evidence;
  add_steps(evidence, kEveryThird);

  REQUIRE(evidence.size() == 5);
  CHECK(evidence[1].peaks == 4);
  CHECK(evidence[1].steps == 4);
  CHECK(evidence[1].chi_squared == Approx(2.0 * std::log(27.0)));
  const auto one = find_period(evidence, 0.2);
  REQUIRE(one);
  CHECK(one->steps == 3);
  CHECK(one->p == Approx(5.0 / 27.0));
  CHECK_FALSE(find_period(evidence, 0.18));

  // Two such trials, the second at another phase, where three windows have all of their steps:
  // Fisher's x = 2 ln(27) + 2 ln(9), and of 4 degrees of freedom P = exp(-x/2) (1 + x/2).
  std::vector<double> later(kEveryThird.begin() + 1, kEveryThird.end());
  add_steps(evidence, later);
  const double half = std::log(27.0) + std::log(9.0);
  const auto two = find_period(evidence, 0.2);
  REQUIRE(two);
  CHECK(two->steps == 3);
  CHECK(two->p == Approx(5.0 * std::exp(-half) * (1.0 + half)));
}

TEST_CASE("a period is found at whatever phase, and is neither its multiple nor its divisor",
          "[stats]") {
  for (const std::size_t period : {2U, 3U, 5U, 6U, 10U}) {
    std::vector<double> steps;
    for (std::size_t i = 0; i < 100; ++i) {
      const double noise = 0.01 * static_cast<double>(i * 37 % 101) / 101.0;
      steps.push_back(1.0 + noise + (i % period == period - 1 ? 0.5 : 0.0));
    }
    const auto found = period_of({steps});
    INFO(period);
    REQUIRE(found);
    CHECK(found->steps == period);
    CHECK(phase_of(steps, period) == period - 1);
  }
}

TEST_CASE("a period of long trials is found, though their p value is 0 to a double's digits",
          "[stats]") {
  for (const std::size_t count : {5'000U, 20'000U}) {
    std::vector<double> steps;
    for (std::size_t i = 0; i < count; ++i) {
      steps.push_back(1.0 + 1e-4 * static_cast<double>(i * 37 % 101) + (i % 10 == 3 ? 2.0 : 0.0));
    }
    INFO(count);
    for (const std::size_t trials : {1U, 3U}) {
      const auto found = period_of(std::vector<std::vector<double>>(trials, steps));
      REQUIRE(found);
      CHECK(found->steps == 10);
    }
  }
}

TEST_CASE("two slow steps at the same place in all trials are no period", "[stats]") {
  std::vector<std::vector<double>> trials;
  for (int trial = 0; trial < 8; ++trial) {
    std::vector<double> steps;
    for (int i = 0; i < 60; ++i) {
      const double noise = 0.01 * static_cast<double>((i + trial) * 37 % 101) / 101.0;
      steps.push_back(1.0 + noise + (i == 15 || i == 43 ? 2.0 : 0.0));
    }
    trials.push_back(steps);
  }
  CHECK_FALSE(period_of(trials));
}

TEST_CASE("a trend has no period, nor have too few steps", "[stats]") {
  std::vector<double> rising;
  for (int i = 0; i < 100; ++i) {
    rising.push_back(1.0 + 0.01 * i);
  }
  CHECK_FALSE(period_of({rising, rising, rising}));
  CHECK_FALSE(period_of({{1.0, 2.0, 1.0}}));
  CHECK_FALSE(period_of({}));
  CHECK_FALSE(phase_of(kEveryThird, 7));
  std::vector<double> broken = kEveryThird;
  broken[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(period_of({broken, broken, broken}, 1.0));
}

TEST_CASE("one cell in twenty at most is said to have a period that it has not", "[stats]") {
  // Measured in full: 0.8 % at most (stats/METHODS.md).
  constexpr std::size_t replicates = 300;
  constexpr std::uint64_t seed = 20261126;
  for (const StepNoise noise : kStepNoises) {
    for (const std::size_t trials : {1U, 8U}) {
      INFO(name_of(noise) << ", trials " << trials);
      CHECK(run_periods({.noise = noise, .steps = 60, .trials = trials}, replicates, seed)
                .found.share() <= 0.05);
    }
  }
}

TEST_CASE("a period that takes half as long again is found under every noise that has a variance",
          "[stats]") {
  for (const StepNoise noise : kStepNoises) {
    if (noise != StepNoise::kHeavy) {
      INFO(name_of(noise));
      CHECK(run_periods({.noise = noise, .steps = 60, .trials = 8, .period = 5, .factor = 1.5},
                        100,
                        20261127)
                .right.share() >= 0.9);
    }
  }
}

}  // namespace scalestudy::test
