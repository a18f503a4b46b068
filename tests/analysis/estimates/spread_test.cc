// Where the spread comes from, by hand.
#include "harness/analysis/estimates/spread.h"

#include <algorithm>

#include "harness/analysis/observe/flags.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::make_cell;
using test::observe_cell;

namespace {

// Trials with these batch means, each of 10 measured steps and 2 s of wall time.
CellObservation observe_batches(const std::vector<std::vector<double>>& batches) {
  std::vector<double> means;
  for (const std::vector<double>& trial : batches) {
    double sum = 0.0;
    for (const double batch : trial) {
      sum += batch;
    }
    means.push_back(sum / static_cast<double>(trial.size()));
  }
  CellObservation cell = observe_cell(make_cell(1, 1, 8), means);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    cell.trials[i].steps.batch_means = batches[i];
    cell.trials[i].metrics[kStepTime].steps = 10;
    cell.trials[i].row.wall_s = 2.0;
  }
  return cell;
}

std::vector<EstimateRow> spread(const CellObservation& cell) {
  return spread_of_cells(test::make_observation({cell}, Scaling::kStrong), Study{});
}

const EstimateRow* find_statistic(const std::vector<EstimateRow>& rows, Statistic statistic) {
  const auto found = std::ranges::find(rows, statistic, &EstimateRow::statistic);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("spread between trials is told from spread within", "[analysis]") {
  // Within: variance 2 * 0.01^2 = 0.0002 in each trial. Trial means 0.10, 0.12, 0.14: variance
  // 0.0004, of which 0.0002 / 2 is within: (0.0004 - 0.0001) / 0.0004.
  const auto rows = spread(observe_batches({{0.09, 0.11}, {0.11, 0.13}, {0.13, 0.15}}));

  const EstimateRow* share = find_statistic(rows, Statistic::kBetweenTrialsShare);
  REQUIRE(share != nullptr);
  CHECK(*share->value == Approx(0.75));
  CHECK(share->method == "variance_components");
  CHECK(share->status == RowStatus::kOk);
  CHECK(share->n == 3);
  // sqrt(launch / batch * within / between): launch 2 - 10 * 0.12 = 0.8 s, a batch 0.6 s,
  // 0.0002 / 0.0003: 0.94 batches, rounded up to one of five steps.
  const EstimateRow* steps = find_statistic(rows, Statistic::kOptimalSteps);
  REQUIRE(steps != nullptr);
  CHECK(*steps->value == Approx(5.0));
}

TEST_CASE("trials that differ less than their steps allow have no spread of their own",
          "[analysis]") {
  const auto rows = spread(observe_batches({{0.09, 0.11}, {0.11, 0.09}, {0.10, 0.10}}));

  CHECK(find_statistic(rows, Statistic::kBetweenTrialsShare)->value == 0.0);
  CHECK(find_statistic(rows, Statistic::kBetweenTrialsShare)->status ==
        RowStatus::kNegativeComponent);
  CHECK_FALSE(find_statistic(rows, Statistic::kOptimalSteps)->value.has_value());
}

TEST_CASE("a cell of which no steps are known has no components", "[analysis]") {
  CHECK(spread(observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2})).empty());
}

TEST_CASE("the median stands beside the mean where a slow trial stands out", "[analysis]") {
  CellObservation cell =
      observe_cell(make_cell(1, 1, 8), {1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 1.90});
  CHECK(find_statistic(spread(cell), Statistic::kMedian) == nullptr);

  flag_trials({.rule = OutlierMethod::kModifiedZ, .threshold = 3.5}, cell);
  const auto rows = spread(cell);

  // Eight trials: the first and the last but none are the 1st and 8th at 95 % (achieved 99.2 %).
  const EstimateRow* median = find_statistic(rows, Statistic::kMedian);
  REQUIRE(median != nullptr);
  CHECK(*median->value == Approx(1.005));
  CHECK(*median->lo == Approx(0.98));
  CHECK(*median->hi == Approx(1.90));
  CHECK(median->confidence == Approx(1.0 - 2.0 / 256.0));
  CHECK(median->method == "median_ci_order");
}

TEST_CASE("batches are means of five measured steps", "[analysis]") {
  SeriesRow series;
  series.metric = "step_time_s";
  series.warmup_n = 1;
  series.values = {9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0, 6.0, 6.0, 6.0, 7.0};

  CHECK(flag_steps(series, {}).batch_means == std::vector<double>{3.0, 6.0});
}
