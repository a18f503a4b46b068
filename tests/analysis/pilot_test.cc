// What a pilot says about the study to come.
#include "harness/analysis/pilot.h"

#include <vector>

#include "tests/support/catch.h"

using scalestudy::pilot_outlook;
using scalestudy::Study;

namespace {

Study study_of(int trials, double margin) {
  Study study;
  study.trials.count = trials;
  study.analysis.margin = margin;
  return study;
}

// Mean 1 and a standard deviation of 2 %: deviations of +-d with d^2 * 4 / 3 = 0.02^2.
const std::vector<double> pilot{1.0 - 0.017320508075688773,
                                1.0 + 0.017320508075688773,
                                1.0 - 0.017320508075688773,
                                1.0 + 0.017320508075688773};

}  // namespace

TEST_CASE("a pilot of 2 % spread needs 18 trials for a 2 % difference and 65 for 1 %",
          "[analysis]") {
  // 13_planning.json (R 4.2.2): CV 2 %, power 0.8: difference 2 % -> 18 trials a cell, 1 % -> 65.
  const auto two = pilot_outlook(study_of(18, 0.02), pilot, 1);
  REQUIRE(two.has_value());
  CHECK(two->cv == Approx(0.02));
  CHECK(two->trials_for_margin == 18);
  CHECK(two->detectable.value() <= 0.02);
  CHECK(pilot_outlook(study_of(17, 0.02), pilot, 1)->detectable.value() > 0.02);
  CHECK(pilot_outlook(study_of(18, 0.01), pilot, 1)->trials_for_margin == 65);
}

TEST_CASE("a study of many comparisons needs more trials for each", "[analysis]") {
  // Noncentral t integrated by Simpson's rule in Python, at 0.05 / 7: power 0.794 of 27 trials,
  // 0.813 of 28.
  const auto seven = pilot_outlook(study_of(18, 0.02), pilot, 7);

  CHECK(seven->trials_for_margin == 28);
  CHECK(seven->detectable.value() > 0.02);
  CHECK(pilot_outlook(study_of(28, 0.02), pilot, 7)->detectable.value() <= 0.02);
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
  const auto needed = scalestudy::trials_for_precision(study_of(18, 0.02), pilot, 0.02);

  REQUIRE(needed.has_value());
  CHECK(needed->n == 7);
  CHECK(needed->lo == 4);
  CHECK(needed->hi == 56);
  CHECK_FALSE(scalestudy::trials_for_precision(Study{}, std::vector<double>{1.0}, 0.02));
}
