#include "workloads/train/record/series.h"

#include <algorithm>
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

  const auto series = make_series(all, {});

  CHECK(series.size() == 10 + 4 + 2 * 10);
  CHECK(series[10].metric == "exposed_communication_max_time_s");
  CHECK(series[10].values[0] == 0.7);
  CHECK(series[11].metric == "exposed_communication_mean_time_s");
  CHECK(series[11].values[0] == Approx(0.4));  // (0.1 + 0.7) / 2
  CHECK(series[12].metric == "loss");
  CHECK(series[12].unit == "1");
  CHECK_FALSE(series[12].rank.has_value());
  CHECK(series[13].metric == "window_time_s");
  CHECK(series[14].rank == 0);
  CHECK(series.back().rank == 1);
}

// By hand: 10 + 20 s and 20 + 10.5 s behind warm-up steps of 7 s; the maxima of the steps are 40 s.
TEST_CASE("the window is the longest time of a rank, not the sum of the slowest ranks' steps",
          "[train]") {
  const auto steps = [](double first_s, double second_s) {
    return std::vector<StepTimes>{make_step(7.0, 0.0, 0.0, 0.0),
                                  make_step(first_s, 0.0, 0.0, 0.0),
                                  make_step(second_s, 0.0, 0.0, 0.0)};
  };
  const auto series = make_series({steps(10.0, 20.0), steps(20.0, 10.5)}, {.warmup = 1});

  const auto window = std::find_if(series.begin(), series.end(), [](const auto& samples) {
    return samples.metric == "window_time_s";
  });
  REQUIRE(window != series.end());
  CHECK(window->values == std::vector<double>{30.5});
  CHECK(window->warmup == 0);
  CHECK_FALSE(window->rank.has_value());
}

// Two steps of two collectives; in step 1 the other rank comes 2 s late to the second.
TEST_CASE("a collective is transfer as long as on its last rank, and skew beyond", "[train]") {
  RankSteps steps{{StepTimes{}, StepTimes{}}, {1.0, 2.0, 1.5, 5.0}};

  add_skew(steps, {1.0, 2.0, 1.0, 3.0});

  CHECK(steps.times[0][kTransferTime] == 3.0);
  CHECK(steps.times[0][kSkewTime] == 0.0);
  CHECK(steps.times[1][kTransferTime] == 4.0);
  CHECK(steps.times[1][kSkewTime] == 0.5 + 2.0);
}

TEST_CASE("the skew over ranks is that of the rank that waited longest", "[train]") {
  StepTimes slow = make_step(2.0, 0.0, 0.0, 0.0);
  StepTimes waiting = make_step(1.0, 0.0, 0.0, 0.0);
  waiting[kSkewTime] = 0.75;

  CHECK(over_ranks({{slow}, {waiting}})[0][kSkewTime] == 0.75);
}

namespace {

// Nothing when there is no such series over the ranks.
std::vector<double> over_ranks_values(const std::vector<scalestudy::protocol::Samples>& series,
                                      const std::string& metric) {
  for (const auto& samples : series) {
    if (samples.metric == metric && !samples.rank) {
      return samples.values;
    }
  }
  return {};
}

}  // namespace

TEST_CASE("hidden communication is what is not exposed, where overlap is possible at all",
          "[train]") {
  StepTimes step = make_step(1.0, 0.25, 0.0, 0.0);
  step[kCommunicationTime] = 1.0;
  const std::string metric = "hidden_communication_time_s";

  CHECK(over_ranks_values(make_series({{step}}, {.has_overlap = true}), metric) ==
        std::vector<double>{0.75});
  CHECK(over_ranks_values(make_series({{step}}, {.has_overlap = false}), metric).empty());
  CHECK(over_ranks_values(make_series({{step}}, {.has_phases = false, .has_overlap = true}), metric)
            .empty());
}

TEST_CASE("nothing is said of transfer, skew and hiding where the end of collectives is not known",
          "[train]") {
  StepTimes step = make_step(1.0, 0.25, 0.0, 0.0);
  step[kCommunicationTime] = 1.0;

  const auto series = make_series({{step}}, {.has_overlap = true, .has_collective_ends = false});

  CHECK(over_ranks_values(series, "communication_time_s") == std::vector<double>{1.0});
  for (const auto& samples : series) {
    CHECK(samples.metric != "hidden_communication_time_s");
    CHECK(samples.metric != "collective_transfer_time_s");
    CHECK(samples.metric != "collective_skew_time_s");
  }
}

TEST_CASE("utilization is the step time at the peak over the slowest rank's", "[train]") {
  const AllSteps all = {{make_step(1.0, 0.0, 0.0, 0.0)}, {make_step(2.0, 0.0, 0.0, 0.0)}};

  CHECK(over_ranks_values(make_series(all, {.peak_step_time_s = 0.5}), "model_flop_utilization") ==
        std::vector<double>{0.25});
  CHECK(over_ranks_values(make_series(all, {}), "model_flop_utilization").empty());
}

// By hand: of steps of 10 and 8 s on the slower rank, 6 + 2 (update) + 5 and 4 + 3 s of work on two
// ranks: 1 - 13/20 and 1 - 7/16.
TEST_CASE("the bubble is what ranks are at no work of the slowest rank's step", "[train]") {
  AllSteps all = {{make_step(10.0, 4.0, 0.0, 0.0), make_step(7.0, 3.0, 0.0, 0.0)},
                  {make_step(9.0, 4.0, 0.0, 0.0), make_step(8.0, 5.0, 0.0, 0.0)}};
  all[0][0][kOptimizerTime] = 2.0;
  all[1][0][kBackwardTime] = 3.0;
  all[1][0][kForwardTime] = 2.0;

  const auto series = make_series(all, {.has_collectives = false});

  const auto bubble =
      std::ranges::find(series, "pipeline_bubble", &scalestudy::protocol::Samples::metric);
  REQUIRE(bubble != series.end());
  CHECK(bubble->unit == "1");
  REQUIRE(bubble->values.size() == 2);
  CHECK(bubble->values[0] == Approx(0.35));
  CHECK(bubble->values[1] == Approx(0.5625));
  for (const char* metric : {"communication_time_s", "collective_skew_time_s"}) {
    CHECK(std::ranges::find(series, metric, &scalestudy::protocol::Samples::metric) ==
          series.end());
  }
  for (const SeriesLayout& layout :
       {SeriesLayout{}, SeriesLayout{.has_phases = false, .has_collectives = false}}) {
    const auto others = make_series(all, layout);
    CHECK(std::ranges::find(others, "pipeline_bubble", &scalestudy::protocol::Samples::metric) ==
          others.end());
  }
}

TEST_CASE("light timing writes step times and the loss, and no zeros for phases", "[train]") {
  const AllSteps all = {{make_step(1.0, 0.0, 0.0, 0.5)}, {make_step(2.0, 0.0, 0.0, 0.5)}};

  const auto series = make_series(all, {.has_phases = false});

  REQUIRE(series.size() == 5);
  CHECK(series[0].metric == "step_time_s");
  CHECK(series[1].metric == "loss");
  CHECK(series[2].metric == "window_time_s");
  CHECK(series[3].rank == 0);
  CHECK(series[4].rank == 1);
}

TEST_CASE("a loss that is not finite fails its check and is not written", "[train]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const AllSteps all = {{make_step(1.0, 0.0, 0.0, 1.0), make_step(1.0, 0.0, 0.0, nan)}};

  const auto check = check_loss(all);

  CHECK_FALSE(check.passed);
  CHECK(check.detail.find("from step 1 on") != std::string::npos);
  for (const auto& samples : make_series(all, {})) {
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
