// What a pilot says about the study to come.
#include "harness/analysis/studies/pilot.h"

#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using scalestudy::expected_verdict;
using scalestudy::pilot_outlook;
using scalestudy::Study;
using scalestudy::stats::VerdictWord;

namespace {

Study study_of(int trials, double margin) {
  Study study;
  study.trials.count = trials;
  study.analysis.margin = margin;
  return study;
}

// Mean 1 and a standard deviation of 2 %: deviations of +-d with d^2 * 4 / 3 = 0.02^2.
const std::vector<double> kPilot{1.0 - 0.017320508075688773,
                                 1.0 + 0.017320508075688773,
                                 1.0 - 0.017320508075688773,
                                 1.0 + 0.017320508075688773};

std::vector<double> scaled(double factor) {
  std::vector<double> values = kPilot;
  for (double& value : values) {
    value *= factor;
  }
  return values;
}

// Share of 4,000 pairs of samples of n trials, equal means and a spread of 2 %, that both one-sided
// t tests at 5 % call equivalent within 5 %.
double equivalent_share(int n) {
  scalestudy::test::Random random(7);
  const double critical = scalestudy::stats::student_t_critical(0.9, 2.0 * n - 2.0);
  constexpr int pairs = 4000;
  int called = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    double mean[2] = {0.0, 0.0};
    double squares = 0.0;
    for (double& own : mean) {
      std::vector<double> values;
      for (int i = 0; i < n; ++i) {
        values.push_back(0.02 * random.normal());
        own += values.back() / n;
      }
      for (const double value : values) {
        squares += (value - own) * (value - own);
      }
    }
    const double error = std::sqrt(squares / (2.0 * n - 2.0) * 2.0 / n);
    called += std::abs(mean[0] - mean[1]) + critical * error < std::log(1.05) ? 1 : 0;
  }
  return static_cast<double>(called) / pairs;
}

}  // namespace

TEST_CASE("a pilot of 2 % spread needs 18 trials for a 2 % difference and 65 for 1 %",
          "[analysis]") {
  // 13_planning.json (R 4.2.2): CV 2 %, power 0.8: difference 2 % -> 18 trials a cell, 1 % -> 65.
  const auto two = pilot_outlook(study_of(18, 0.02), kPilot, 1);
  REQUIRE(two.has_value());
  CHECK(two->cv == Approx(0.02));
  CHECK(two->trials_for_margin == 18);
  CHECK(two->detectable.value() <= 0.02);
  CHECK(pilot_outlook(study_of(17, 0.02), kPilot, 1)->detectable.value() > 0.02);
  CHECK(pilot_outlook(study_of(18, 0.01), kPilot, 1)->trials_for_margin == 65);
}

TEST_CASE("a study of many comparisons needs more trials for each", "[analysis]") {
  // Noncentral t integrated by Simpson's rule in Python, at 0.05 / 7: power 0.794 of 27 trials,
  // 0.813 of 28.
  const auto seven = pilot_outlook(study_of(18, 0.02), kPilot, 7);

  CHECK(seven->trials_for_margin == 28);
  CHECK(seven->detectable.value() > 0.02);
  CHECK(pilot_outlook(study_of(28, 0.02), kPilot, 7)->detectable.value() <= 0.02);
}

TEST_CASE("a pilot without spread says nothing", "[analysis]") {
  const Study study = study_of(10, 0.02);
  CHECK_FALSE(pilot_outlook(study, {}, 1).has_value());
  CHECK_FALSE(pilot_outlook(study, std::vector<double>{1.0}, 1).has_value());
  CHECK_FALSE(pilot_outlook(study, std::vector<double>{1.0, 1.0, 1.0}, 1).has_value());
}

TEST_CASE("a pilot says how many trials a precision needs, with what it leaves open",
          "[analysis]") {
  // Four trials of 2 %: t(n-1) 2 / sqrt(n) <= 2 needs 7. Chi-squared with 3 degrees of freedom has
  // its 2.5 % points at 0.21580 and 9.34840: 1.133 to 7.457 %, which need 4 and 56.
  const auto needed = scalestudy::trials_for_precision(study_of(18, 0.02), kPilot, 0.02);

  REQUIRE(needed.has_value());
  CHECK(needed->n == 7);
  CHECK(needed->lo == 4);
  CHECK(needed->hi == 56);
  CHECK_FALSE(scalestudy::trials_for_precision(Study{}, std::vector<double>{1.0}, 0.02));
}

TEST_CASE("an interval's half-width follows from the spread and the trials", "[analysis]") {
  // t(0.975, 8) = 2.306004 over three: times 2 %.
  CHECK(pilot_outlook(study_of(9, 0.02), kPilot, 1)->half_width.value() == Approx(0.01537336));
  CHECK_FALSE(pilot_outlook(study_of(1, 0.02), kPilot, 1)->half_width.has_value());
}

TEST_CASE("what is likely at the end has power 0.8", "[analysis]") {
  const Study study = study_of(18, 0.005);
  const double detectable = pilot_outlook(study, kPilot, 3)->detectable.value();
  const auto of = [&](double ratio) { return expected_verdict(study, scaled(ratio), kPilot, 3); };

  CHECK(of(1.0 / (1.001 + detectable)) == VerdictWord::kFaster);
  CHECK(of(1.001 + detectable) == VerdictWord::kSlower);
  CHECK(of(0.999 + detectable) == VerdictWord::kNoDetectableDifference);
  CHECK_FALSE(expected_verdict(study, kPilot, std::vector<double>{1.0}, 3).has_value());
  CHECK(expected_verdict(study_of(1, 0.02), kPilot, scaled(9.0), 1) ==
        VerdictWord::kNoDetectableDifference);
}

TEST_CASE("equivalence is likely from the trials on that two tests need", "[analysis]") {
  int n = 2;
  while (expected_verdict(study_of(n, 0.05), kPilot, kPilot, 1) != VerdictWord::kEquivalent) {
    REQUIRE(++n < 50);
  }

  CHECK(n > 2);
  CHECK(equivalent_share(n) >= 0.78);
  CHECK(equivalent_share(n - 1) <= 0.82);
}
