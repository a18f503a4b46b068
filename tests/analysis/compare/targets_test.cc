// Declared expectations against what was measured.
#include "harness/analysis/compare/targets.h"

#include "tests/analysis/by_hand.h"
#include "tests/analysis/compare/declared_targets.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::at_least;
using test::at_most;
using test::has_numbers;
using test::judge_target;
using test::make_cell;
using test::observe_cell;

namespace {

Results with_speedup(double value, std::optional<double> lo, std::optional<double> hi) {
  Results results;
  ComparisonRow row;
  row.cell_id = 2;
  row.quantity = "speedup";
  row.value = value;
  row.lo = lo;
  row.hi = hi;
  results.comparisons.push_back(row);
  return results;
}

std::vector<CellObservation> two_cells() {
  return {observe_cell(make_cell(1, 1, 64), {}), observe_cell(make_cell(2, 2, 64), {})};
}

}  // namespace

TEST_CASE("an interval wholly at or above the level meets a lower bound", "[analysis]") {
  const auto rows =
      judge_target(at_least("speedup", 1.5), with_speedup(1.6, 1.5, 1.7), two_cells());

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].verdict == TargetVerdict::kMet);
  CHECK(rows[0].cell_id == 2);
  CHECK(rows[0].bound == Bound::kAtLeast);
  CHECK(rows[0].level == 1.5);
  CHECK(rows[0].value == 1.6);
}

TEST_CASE("a fixed parameter at its default selects cells like any other", "[analysis]") {
  Target target = at_least("speedup", 1.5);
  target.where["precision"] = std::string("fp32");
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.targets = {target};
  const auto observation = test::make_observation(two_cells(), Scaling::kStrong);
  const Results results = with_speedup(1.6, 1.5, 1.7);
  CHECK(judge_targets(observation, study, results).at(0).verdict == TargetVerdict::kMet);

  study.analysis.targets[0].where["precision"] = std::string("bf16");
  CHECK_FALSE(judge_targets(observation, study, results).at(0).cell_id.has_value());
}

TEST_CASE("an interval wholly below the level misses a lower bound", "[analysis]") {
  CHECK(judge_target(at_least("speedup", 1.75), with_speedup(1.6, 1.5, 1.7), two_cells())[0]
            .verdict == TargetVerdict::kMissed);
}

TEST_CASE("an interval that contains the level decides nothing", "[analysis]") {
  const auto rows =
      judge_target(at_least("speedup", 1.6), with_speedup(1.6, 1.5, 1.7), two_cells());

  CHECK(rows[0].verdict == TargetVerdict::kUndecided);
}

TEST_CASE("an upper bound is the other way round", "[analysis]") {
  CHECK(
      judge_target(at_most("speedup", 1.7), with_speedup(1.6, 1.5, 1.7), two_cells())[0].verdict ==
      TargetVerdict::kMet);
  CHECK(
      judge_target(at_most("speedup", 1.4), with_speedup(1.6, 1.5, 1.7), two_cells())[0].verdict ==
      TargetVerdict::kMissed);
  CHECK(
      judge_target(at_most("speedup", 1.6), with_speedup(1.6, 1.5, 1.7), two_cells())[0].verdict ==
      TargetVerdict::kUndecided);
}

TEST_CASE("a value without an interval decides nothing", "[analysis]") {
  const auto rows = judge_target(
      at_least("speedup", 1.0), with_speedup(1.6, std::nullopt, std::nullopt), two_cells());

  CHECK(rows[0].verdict == TargetVerdict::kUndecided);
  CHECK(rows[0].value == 1.6);
  CHECK_FALSE(rows[0].lo.has_value());
}

TEST_CASE("an oversubscribed cell decides nothing", "[analysis]") {
  auto cells = two_cells();
  cells[1].row.oversubscribed = true;
  const auto rows = judge_target(at_least("speedup", 1.0), with_speedup(1.6, 1.5, 1.7), cells);

  CHECK(rows[0].verdict == TargetVerdict::kUndecided);
}

TEST_CASE("a target that matches no cell is undecided", "[analysis]") {
  Target target = at_least("speedup", 1.5);
  target.where = {{"devices", std::int64_t{4}}};
  const auto rows = judge_target(target, with_speedup(1.6, 1.5, 1.7), two_cells());

  REQUIRE(rows.size() == 1);
  CHECK_FALSE(rows[0].cell_id.has_value());
  CHECK(rows[0].verdict == TargetVerdict::kUndecided);
}

TEST_CASE("a target without a place means every cell but the baseline of its own", "[analysis]") {
  Target target = at_least("speedup", 1.5);
  target.where.clear();
  const auto rows = judge_target(target, with_speedup(1.6, 1.5, 1.7), two_cells());

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].cell_id == 2);
}

TEST_CASE("a cell without its comparison is undecided", "[analysis]") {
  auto cells = two_cells();
  cells[1].row.baseline.reset();
  cells[1].row.baseline_problem = "no cell with devices=1 and batch_global=64";
  const auto rows = judge_target(at_least("speedup", 1.5), {}, cells);

  CHECK(rows[0].verdict == TargetVerdict::kUndecided);
  CHECK_FALSE(rows[0].value.has_value());
}

TEST_CASE("step time and throughput come from the estimates with all trials", "[analysis]") {
  Results results;
  for (const Variant variant : {Variant::kUnflagged, Variant::kAll}) {
    EstimateRow row;
    row.cell_id = 2;
    row.metric = "step_time_s";
    row.statistic = Statistic::kMean;
    row.variant = variant;
    row.value = variant == Variant::kAll ? 0.10 : 0.01;
    row.lo = *row.value - 0.005;
    row.hi = *row.value + 0.005;
    results.estimates.push_back(row);
  }
  const auto rows = judge_target(at_most("step_time_s", 0.09), results, two_cells());

  CHECK(rows.at(0).value == 0.10);
  CHECK(rows.at(0).lo == 0.095);
  CHECK(rows.at(0).verdict == TargetVerdict::kMissed);
}

TEST_CASE("the end that decides a target shows its side of the level", "[analysis]") {
  const auto rows =
      judge_target(at_least("speedup", 1.5), with_speedup(2.1, 1.504, 2.7), two_cells());

  CHECK(has_numbers(rows[0].finding, {2.1, 1.504, 2.7, 1.5}));
}

TEST_CASE("a single device has no communication to bound", "[analysis]") {
  Target target = at_most("communication_overhead", 0.2);
  target.where = {{"devices", std::int64_t{1}}};

  CHECK_FALSE(judge_target(target, {}, two_cells()).at(0).cell_id.has_value());
}

TEST_CASE("controls are no cells of a target", "[analysis]") {
  auto cells = two_cells();
  cells.push_back(observe_cell(test::make_control(3, cells[1].row, CellRole::kNoop), {}));

  CHECK(judge_target(at_least("speedup", 1.5), with_speedup(1.6, 1.5, 1.7), cells).size() == 1);
}
