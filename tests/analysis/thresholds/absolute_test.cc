// Thresholds whose level is a value of the metric.
#include <cmath>

#include "harness/analysis/compare/target_questions.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/thresholds/thresholds.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;

namespace {

// One device at five batches; a sample takes 1 MB of memory, which varies by 1 % or not at all.
std::vector<CellObservation> batches(double spread) {
  std::vector<CellObservation> cells;
  for (const std::int64_t batch : {64, 128, 256, 512, 1024}) {
    CellObservation cell =
        test::observe_cell(test::make_cell(static_cast<std::int64_t>(cells.size()) + 1, 1, batch),
                           {0.010, 0.011, 0.012, 0.010, 0.011});
    double sign = 1.0;
    for (TrialObservation& trial : cell.trials) {
      const double bytes = 1e6 * static_cast<double>(batch) * (1.0 + sign * spread);
      trial.metrics["peak_bytes"] = {
          .steps = 1, .mean = bytes, .p50 = bytes, .p95 = bytes, .p99 = bytes, .last = bytes};
      sign = -sign;
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

Study study_of(double level) {
  Study study;
  study.analysis.metrics = {{.metric = "peak_bytes"}};
  study.analysis.thresholds = {
      {.metric = "peak_bytes", .level = level, .along = "batch_global", .is_relative = false}};
  return study;
}

StudyObservation observe(double spread) {
  StudyObservation observation = test::make_observation(batches(spread), Scaling::kStrong);
  observation.units["peak_bytes"] = "bytes";
  return observation;
}

ThresholdRow find_at(double level, double spread) {
  const StudyObservation observation = observe(spread);
  const Study study = study_of(level);
  Results results;
  results.estimates = estimate_cells(observation, study);
  return find_thresholds(observation, study, results).at(0);
}

}  // namespace

TEST_CASE("a level in the metric's unit is crossed where the metric itself crosses it",
          "[analysis]") {
  const ThresholdRow row = find_at(300e6, 0.01);

  CHECK(row.status == RowStatus::kCrossed);
  CHECK(row.bracket_lo == 256.0);
  CHECK(row.bracket_hi == 512.0);
  CHECK(*row.estimate == Approx(300.0).epsilon(0.01));  // memory is proportional to the batch
  CHECK(row.tested_values == 5);
  CHECK(row.cells == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  CHECK_THAT(row.finding, Contains("peak memory reaches 300 MB (286.1 MiB) between"));
  CHECK_THAT(row.finding, !Contains("over the base's") && !Contains("break-even"));
}

TEST_CASE("of values below 1 the crossing is interpolated in logarithms as well", "[analysis]") {
  StudyObservation observation = observe(0.01);
  for (CellObservation& cell : observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.metrics["peak_bytes"].mean *= 1e-9;
    }
  }
  const Study study = study_of(0.3);
  Results results;
  results.estimates = estimate_cells(observation, study);

  // Linear between 0.256 at batch 256 and 0.512 at 512, along the logarithm of the batch: 288.6.
  CHECK(*find_thresholds(observation, study, results).at(0).estimate ==
        Approx(300.0).epsilon(0.01));
}

TEST_CASE("a value that is the same in every trial is on one side of the level", "[analysis]") {
  const ThresholdRow row = find_at(300e6, 0.0);

  CHECK(row.status == RowStatus::kCrossed);
  CHECK(row.bracket_lo == 256.0);
  CHECK(row.bracket_hi == 512.0);
}

TEST_CASE("later attempts behind values of a metric itself are told", "[analysis]") {
  StudyObservation observation = observe(0.01);
  observation.cells[1].chosen.trials = 1;
  const Study study = study_of(300e6);
  Results results;
  results.estimates = estimate_cells(observation, study);

  CHECK_THAT(find_thresholds(observation, study, results).at(0).finding,
             Catch::Matchers::EndsWith(" (1 trial counts only with a later attempt)"));
}

TEST_CASE("along devices the largest tested number is named", "[analysis]") {
  StudyObservation observation = observe(0.01);
  std::int64_t devices = 1;
  for (CellObservation& cell : observation.cells) {
    cell.row = test::make_cell(cell.row.id, devices, 64);
    devices *= 2;
  }
  Study study = study_of(300e6);
  study.analysis.thresholds[0].along = "devices";
  Results results;
  results.estimates = estimate_cells(observation, study);

  const ThresholdRow row = find_thresholds(observation, study, results).at(0);

  CHECK_FALSE(row.estimate.has_value());
  CHECK_THAT(row.finding,
             Contains("largest tested number of devices with peak memory of at most 300 MB "
                      "(286.1 MiB) (resolved at 95 %): 4; 8 is above"));
}

TEST_CASE("where a metric itself crosses beyond the tested values is not said", "[analysis]") {
  const ThresholdRow above = find_at(10e6, 0.0);
  CHECK(above.status == RowStatus::kAlways);
  CHECK(above.finding ==
        "1 device: peak memory is above 10 MB (9.537 MiB) at all 5 tested values of global batch "
        "(resolved at 95 %)");
  const ThresholdRow below = find_at(5e9, 0.01);
  CHECK(below.status == RowStatus::kNotReached);
  // 1024 MB of the largest batch are 976.6 MiB, 5e9 bytes / 2^20 = 4768.4.
  CHECK_THAT(below.finding,
             Contains("peak memory is below 5 GB (4768 MiB) at all 5 tested values of global"));
  for (const ThresholdRow& row : {above, below}) {
    CHECK_FALSE(row.bracket_lo.has_value());
    CHECK_FALSE(row.bracket_hi.has_value());
  }
}

TEST_CASE("a threshold, a target and a limit at one level are one decision", "[analysis]") {
  const StudyObservation observation = observe(0.2);  // the interval of batch 256 contains 270 MB
  Study study = study_of(270e6);
  study.analysis.targets = {{.name = "small",
                             .metric = "peak_bytes",
                             .where = {},
                             .at_least = std::nullopt,
                             .at_most = 270e6}};
  study.analysis.within = {{.metric = "peak_bytes", .is_least = false, .level = 270e6}};
  Results results;
  results.estimates = estimate_cells(observation, study);

  const ThresholdRow row = find_thresholds(observation, study, results).at(0);
  const auto judged = judge_targets(observation, study, results);

  CHECK(row.open_values == std::vector<double>{256.0});
  for (const TargetResultRow& target : judged) {
    if (target.cell_id) {
      CHECK(target.verdict == (*target.cell_id < 3    ? TargetVerdict::kMet
                               : *target.cell_id == 3 ? TargetVerdict::kUndecided
                                                      : TargetVerdict::kMissed));
      CHECK(target.alpha_star == row.alpha_star);
      CHECK(target.family_size == row.family_size);
    }
  }
}

TEST_CASE("the interval of the only tested value is that of its estimate", "[analysis]") {
  StudyObservation observation = observe(0.2);
  observation.cells.resize(1);
  Study study = study_of(270e6);
  study.workload = Workload::kCommand;  // of whose metrics the unit says that they are positive
  Results results;
  results.estimates = estimate_cells(observation, study);
  const auto mean = std::ranges::find(results.estimates, "peak_bytes", &EstimateRow::metric);

  const ThresholdRow row = find_thresholds(observation, study, results).at(0);

  // 64 MB (1 ± 0.2, 3 of 5 above): 66.56 MB, half-width 17.41; 66.56 exp(± 0.2615).
  CHECK(*mean->lo == Approx(51.24e6).epsilon(0.001));
  CHECK(*mean->hi == Approx(86.46e6).epsilon(0.001));
  CHECK_THAT(row.finding, Contains("where it is 63 MiB [49, 82]"));
}

// (10.8 ± 1.0389) ms of five trials: 64 / 0.0118389 s to 64 / 0.0097611 s.
TEST_CASE("the interval of a rate begins where that of its time ends", "[analysis]") {
  const CellObservation cell =
      test::observe_cell(test::make_cell(1, 1, 64), {0.010, 0.011, 0.012, 0.010, 0.011});

  const std::optional<CellMean> rate = mean_of_cell(cell, "throughput", "samples/s", Study());

  REQUIRE(rate);
  CHECK(rate->value == Approx(5925.93).epsilon(1e-5));
  CHECK(rate->lo == Approx(5405.93).epsilon(1e-5));
  CHECK(rate->hi == Approx(6556.60).epsilon(1e-5));
}
