#include "workloads/train/series.h"

#include <limits>

#include "tests/support/catch.h"

using namespace scalestudy::train;

namespace {

// A step whose phases add up to `step_s` with `other_s` in none of them.
StepTimes make_step(double step_s, double exposed_s, double other_s, double loss) {
  StepTimes step{};
  step[kStepTime] = step_s;
  step[kExposedCommunication] = exposed_s;
  step[kOtherTime] = other_s;
  step[kForwardTime] = step_s - exposed_s - other_s;
  step[kLoss] = loss;
  return step;
}

}  // namespace

TEST_CASE("a step over ranks is the slowest rank's, with the losses added", "[train]") {
  const AllSteps all = {{make_step(1.0, 0.1, 0.0, 0.25), make_step(4.0, 0.5, 0.0, 0.25)},
                        {make_step(2.0, 0.7, 0.0, 0.75), make_step(3.0, 2.0, 0.0, 0.50)}};

  const std::vector<StepTimes> steps = over_ranks(all);

  CHECK(steps[0][kStepTime] == 2.0);
  CHECK(steps[0][kExposedCommunication] == 0.7);
  CHECK(steps[0][kLoss] == 1.0);
  CHECK(steps[1][kStepTime] == 4.0);
  CHECK(steps[1][kExposedCommunication] == 0.5);  // of the slowest rank, not the largest
  CHECK(steps[1][kLoss] == 0.75);
}

TEST_CASE("series hold the over-ranks values, their mean exposure and every rank", "[train]") {
  const AllSteps all = {{make_step(1.0, 0.1, 0.0, 0.5)}, {make_step(2.0, 0.7, 0.0, 0.5)}};

  const auto series = make_series(all, 0, true);

  CHECK(series.size() == 8 + 2 + 2 * 8);
  CHECK(series[8].metric == "exposed_communication_mean_time_s");
  CHECK(series[8].values[0] == Approx(0.4));  // (0.1 + 0.7) / 2
  CHECK(series[9].metric == "loss");
  CHECK(series[9].unit == "1");
  CHECK_FALSE(series[9].rank.has_value());
  CHECK(series[10].rank == 0);
  CHECK(series.back().rank == 1);
}

TEST_CASE("light timing writes step times and the loss, and no zeros for phases", "[train]") {
  const AllSteps all = {{make_step(1.0, 0.0, 0.0, 0.5)}, {make_step(2.0, 0.0, 0.0, 0.5)}};

  const auto series = make_series(all, 0, false);

  REQUIRE(series.size() == 4);
  CHECK(series[0].metric == "step_time_s");
  CHECK(series[1].metric == "loss");
  CHECK(series[2].rank == 0);
  CHECK(series[3].rank == 1);
}

TEST_CASE("a loss that is not finite fails its check and is not written", "[train]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const AllSteps all = {{make_step(1.0, 0.0, 0.0, 1.0), make_step(1.0, 0.0, 0.0, nan)}};

  const auto check = check_loss(all);

  CHECK_FALSE(check.passed);
  CHECK(check.detail.find("from step 1 on") != std::string::npos);
  for (const auto& samples : make_series(all, 0, true)) {
    CHECK(samples.metric != "loss");
  }
}

TEST_CASE("phases close up to two percent of a long step", "[train]") {
  CHECK(check_phases({{make_step(1.0, 0.0, 0.019, 0.0)}}, 0).passed);
  CHECK_FALSE(check_phases({{make_step(1.0, 0.0, 0.021, 0.0)}}, 0).passed);
  CHECK_FALSE(check_phases({{make_step(1.0, 0.0, -0.021, 0.0)}}, 0).passed);
}

TEST_CASE("phases close up to twenty microseconds of a short step", "[train]") {
  CHECK(check_phases({{make_step(1e-4, 0.0, 19e-6, 0.0)}}, 0).passed);
  CHECK_FALSE(check_phases({{make_step(1e-4, 0.0, 21e-6, 0.0)}}, 0).passed);
}

TEST_CASE("phases are judged by the median measured step of every rank", "[train]") {
  const StepTimes good = make_step(1.0, 0.0, 0.0, 0.0);
  const StepTimes bad = make_step(1.0, 0.0, 0.5, 0.0);

  CHECK(check_phases({{bad, bad, good, good, bad, good}}, 2).passed);
  CHECK_FALSE(check_phases({{good, good, good}, {bad, bad, bad}}, 0).passed);
}
