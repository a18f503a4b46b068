// What adaptive runs stop on.
#include "harness/analysis/precision.h"

#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("precision is the relative half-width of the t interval", "[analysis]") {
  Study study;
  study.trials.until = 0.90;
  // Mean 2, sd sqrt(4/3), se 0.5773503, t(0.975, 3) = 3.182446: half-width 1.837386.
  const std::vector<double> means_s = {1.0, 1.0, 3.0, 3.0};
  const auto [width, enough] = trial_precision(study, means_s);

  REQUIRE(width.has_value());
  CHECK(*width == Approx(0.918693).epsilon(1e-6));
  CHECK_FALSE(enough);
  study.trials.until = 0.95;
  CHECK(trial_precision(study, means_s).second);
}

TEST_CASE("one trial has no precision", "[analysis]") {
  Study study;
  study.trials.until = 0.5;
  const auto [width, enough] = trial_precision(study, std::vector<double>{1.0});

  CHECK_FALSE(width.has_value());
  CHECK_FALSE(enough);
}

TEST_CASE("a study with a fixed count never has enough", "[analysis]") {
  CHECK_FALSE(trial_precision(Study{}, std::vector<double>{1.0, 1.0, 1.0}).second);
}
