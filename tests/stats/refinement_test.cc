// Where a search tests next, and what is left of it.
#include "stats/refinement.h"

#include <cmath>
#include <vector>

#include "tests/stats/simulation/refined.h"
#include "tests/support/catch.h"

namespace scalestudy::test {
namespace {

using stats::Refinement;
using stats::TestedValue;

// Two devices, S = 2 / (1 + crossing / x): slope 0.5 at the crossing, bent like every true curve;
// without noise but with that standard error over 8 trials.
std::vector<TestedValue> curve(const std::vector<double>& x, double crossing, double se) {
  std::vector<TestedValue> values;
  for (const double each : x) {
    values.push_back(
        {.x = each, .g = std::log(2.0 / (1.0 + crossing / each)), .se = se, .df = 7.0});
  }
  return values;
}

stats::RefineStep step_of(const std::vector<TestedValue>& values,
                          const stats::RefineGoal& goal = {},
                          std::vector<double> tried = {}) {
  for (const TestedValue& value : values) {
    tried.push_back(value.x);
  }
  return stats::refine(values,
                       stats::threshold_piecewise(values, 0.0, 0.95, stats::Direction::kIncreasing),
                       tried,
                       0.95,
                       goal);
}

const std::vector<double> kLadder{8, 16, 32, 64, 128};

TEST_CASE("the next value is the geometric middle of the bracket, on the grid", "[stats]") {
  const auto values = curve(kLadder, 40.0, 0.001);
  // sqrt(32 * 64) = 45.25
  CHECK(step_of(values, {.width = 0.02}).next == 45.0);
  CHECK(step_of(values, {.width = 0.02, .grid = 8.0}).next == 48.0);
  CHECK(step_of(values, {.width = 0.02, .grid = 32.0}).step == Refinement::kGrid);
  // 45 failed: the other side of the middle
  CHECK(step_of(values, {.width = 0.02}, {45.0}).next == 46.0);
  CHECK(step_of(values, {.width = 0.02}, {45.0, 46.0}).step == Refinement::kGrid);
}

TEST_CASE("a search ends with what it reached", "[stats]") {
  const auto values = curve({8, 16, 32, 40, 64, 128}, 36.0, 0.001);
  const stats::RefineStep narrow = step_of(values);
  CHECK(narrow.step == Refinement::kReached);
  // Formulas of METHODS.md written again in Python 3.11, a scan of 10^6 points from 32 to 40:
  // [35.8813, 36.3421].
  CHECK(narrow.width.value() == Approx(0.0127583).epsilon(1e-4));

  const stats::RefineStep most = step_of(curve(kLadder, 40.0, 0.001), {.width = 0.02, .most = 0});
  CHECK(most.step == Refinement::kMostValues);
  CHECK_FALSE(most.next.has_value());

  CHECK(step_of(curve(kLadder, 200.0, 0.01)).step == Refinement::kOutside);
  CHECK(step_of(curve(kLadder, 4.0, 0.01)).step == Refinement::kOutside);
  CHECK(step_of(curve(kLadder, 128.0, 0.01)).step == Refinement::kNoBracket);  // 128 is open
}

TEST_CASE("where noise is what is left, no value is added", "[stats]") {
  // Noise of 0.071 or so either way is wider than asked for and more than the bend.
  const stats::RefineStep most = step_of(curve(kLadder, 45.0, 0.02));
  CHECK(most.step == Refinement::kNoise);
  CHECK(most.noise.value() > 0.05);  // as asked for
  CHECK(most.noise.value() < most.width.value());
  CHECK(1.5 * most.noise.value() > most.width.value());
  // 40 and 44, 0.095 apart, are nearer to each other than noise of 0.19.
  const stats::RefineStep near = step_of(curve({8, 16, 32, 36, 40, 44, 48, 64, 128}, 42.0, 0.02));
  CHECK(near.step == Refinement::kNoise);
  CHECK_FALSE(near.noise.has_value());
}

TEST_CASE("at an end of the axis no width is known, and the search goes on", "[stats]") {
  const stats::RefineStep step = step_of(curve(kLadder, 10.0, 0.001), {.width = 0.5});

  CHECK_FALSE(step.width.has_value());
  CHECK(step.next == 11.0);  // sqrt(8 * 16) = 11.3
}

TEST_CASE("5 % of spread and 2.5 % either way take about 126 trials", "[stats]") {
  // Two arms of 5 %: sd of the logarithm of their ratio 0.0707, se 0.0707 / sqrt(8). By hand: the n
  // with t(n - 1) 0.0707 / sqrt(n) / 0.5 <= ln(1.025 / 0.975) / 2 = 0.025005: 1.979 * 0.1414 /
  // 0.025005 = 11.19, squared 125.3.
  const double se = 0.05 * std::sqrt(2.0) / std::sqrt(8.0);

  CHECK(step_of(curve(kLadder, 45.0, se)).trials == 126U);
}

// Shares are of 1,000 studies: a standard error of 0.7 points at 95 %, 0.45 at 98 %.
constexpr std::size_t kReplicates = 1000;

TEST_CASE("the interval that a search ends with covers, and so does the bracket", "[stats]") {
  for (const Curve curve : kCurves) {
    INFO(name_of(curve));
    const RefinedTally tally = run_refined({.curve = curve}, kReplicates, 20261123);
    CHECK(tally.interval.share() >= 0.95 - 0.022);
    CHECK(tally.bracket.share() >= 0.98 - 0.015);
    CHECK(tally.reached.total == kReplicates);
  }
}

TEST_CASE("a rule that goes on until signs resolve would be seen", "[stats]") {
  const RefinedTally tally =
      run_refined({.curve = Curve::kShallow, .rule = TrialsRule::kUntilSigned, .trials = 3},
                  kReplicates,
                  20261123);

  CHECK(tally.bracket.share() < 0.96);  // 88; where the rule in use has 98
}

}  // namespace
}  // namespace scalestudy::test
