// Which trials an estimate counts, and what it is without them.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/analysis/estimates/estimates.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/estimates/estimated.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::estimate;
using test::find_estimate;
using test::has;
using test::make_study;

TEST_CASE("the unflagged variant leaves flagged trials out and counts them", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {1.0, 3.0, 8.0});
  cell.planned = 4;
  cell.trials[2].flagged = true;
  const auto rows = estimate(cell);

  const EstimateRow all = find_estimate(rows, "step_time_s");
  CHECK(*all.value == Approx(4.0));
  CHECK(all.n == 3);
  CHECK(all.n_excluded == 0);
  CHECK(all.n_planned == 4);
  const EstimateRow unflagged =
      find_estimate(rows, "step_time_s", Statistic::kMean, Variant::kUnflagged);
  CHECK(*unflagged.value == Approx(2.0));
  CHECK(unflagged.n == 2);
  CHECK(unflagged.n_excluded == 1);
  const EstimateRow rate = find_estimate(rows, "throughput", Statistic::kMean, Variant::kUnflagged);
  CHECK(*rate.value == Approx(4.0));  // 8 / 2
  for (const EstimateRow& row : {unflagged, rate}) {
    CHECK(row.status == RowStatus::kUnflagged);
    CHECK_FALSE(row.lo.has_value());
    CHECK_FALSE(row.hi.has_value());
  }
}

TEST_CASE("a trial that is excluded by hand is counted as left out of every variant",
          "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {1.0, 3.0, 8.0});
  cell.planned = 4;
  cell.trials[2].flagged = true;
  cell.excluded = {{7, "a backup ran beside it"}};
  const auto rows = estimate(cell);

  for (const char* metric : {"step_time_s", "throughput", "cost_per_million_samples"}) {
    CAPTURE(metric);
    CHECK(find_estimate(rows, metric).n == 3);
    CHECK(find_estimate(rows, metric).n_excluded == 1);
    const EstimateRow unflagged =
        find_estimate(rows, metric, Statistic::kMean, Variant::kUnflagged);
    CHECK(unflagged.n == 2);
    CHECK(unflagged.n_excluded == 2);
  }

  // A metric that no trial has gets no row because of it.
  StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
  observation.units["forward_time_s"] = "s";
  CHECK_FALSE(has(estimate_cells(observation, make_study()), "forward_time_s"));
}

TEST_CASE("an estimate names the trials that it rests on and no others", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {1.0, 3.0, 8.0, 2.0});
  cell.trials[0].flagged = true;
  cell.trials[1].row.disturbance = Disturbance::kForeignLoad;
  cell.as_met = cell.trials;
  cell.as_met[1].row.id = 7;
  for (const std::size_t trial : {0, 2, 3}) {
    cell.trials[trial].metrics["forward_time_s"] = {.steps = 100, .mean = 0.5};
  }
  StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
  observation.units["forward_time_s"] = "s";
  const auto rows = estimate_cells(observation, make_study());

  CHECK(find_estimate(rows, "throughput").trials == TrialIds{1000, 1001, 1002, 1003});
  CHECK(find_estimate(rows, "forward_time_s").trials == TrialIds{1000, 1002, 1003});
  for (const auto& [variant, trials] :
       {std::pair(Variant::kUnflagged, TrialIds{1001, 1002, 1003}),
        std::pair(Variant::kUndisturbed, TrialIds{1000, 1002, 1003}),
        std::pair(Variant::kWithDisturbed, TrialIds{7, 1000, 1002, 1003})}) {
    CHECK(find_estimate(rows, "step_time_s", Statistic::kMean, variant).trials == trials);
    CHECK(find_estimate(rows, "throughput", Statistic::kMean, variant).trials == trials);
  }
  for (const EstimateRow& row : rows) {
    CHECK(row.n == static_cast<std::int64_t>(row.trials.size()));
  }
}

TEST_CASE("a single trial gives a value without an interval", "[analysis]") {
  const EstimateRow row =
      find_estimate(estimate(test::observe_cell(test::make_cell(1, 1, 8), {0.5})), "step_time_s");

  CHECK(row.value == 0.5);
  CHECK_FALSE(row.lo.has_value());
  CHECK(row.status == RowStatus::kInsufficientData);
}

TEST_CASE("a cell without trials has rows without values", "[analysis]") {
  const auto rows = estimate(test::observe_cell(test::make_cell(1, 1, 8), {}));

  for (const char* metric : {"step_time_s", "throughput"}) {
    const EstimateRow row = find_estimate(rows, metric);
    CHECK_FALSE(row.value.has_value());
    CHECK(row.n == 0);
    CHECK(row.status == RowStatus::kInsufficientData);
  }
}

TEST_CASE("cells of a command have rows of the step time if no trial of the study gives a value",
          "[analysis]") {
  StudyObservation observation =
      test::make_observation({test::observe_cell(test::make_cell(1, 1, 8), {}),
                              test::observe_cell(test::make_cell(2, 2, 8), {})},
                             Scaling::kStrong);
  observation.units.clear();
  observation.cells[0].planned = 3;
  Study study = make_study();
  study.workload = Workload::kCommand;
  const auto rows = estimate_cells(observation, study);

  const EstimateRow time = find_estimate(rows, "step_time_s");
  CHECK(time.n == 0);
  CHECK(time.n_planned == 3);
  CHECK_FALSE(time.value.has_value());
  CHECK(time.status == RowStatus::kInsufficientData);
  CHECK(std::ranges::count_if(rows, [](const EstimateRow& row) {
          return row.metric == "step_time_s" && row.variant == Variant::kAll;
        }) == 2);
}
