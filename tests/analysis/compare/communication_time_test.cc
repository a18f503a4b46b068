// What communication takes of a step as a time, by hand.
#include "harness/analysis/compare/communication_time.h"

#include <string>
#include <vector>

#include "tests/analysis/compared_cells.h"

using namespace scalestudy;

namespace {

std::vector<EstimateRow> times_of(const std::vector<double>& with_s,
                                  const std::vector<double>& without_s,
                                  OrderDesign design) {
  const CellRow cell = test::make_cell(2, 2, 256);
  const std::vector<CellObservation> cells = {
      test::observe_cell(cell, with_s),
      test::observe_cell(test::make_control(3, cell, CellRole::kNoop), without_s)};
  const auto observation = test::make_observation(cells, Scaling::kStrong);
  const Study study = test::make_study(design);
  return communication_times(compare_cells(observation, study), observation, study);
}

TEST_CASE("communication takes the mean difference of blocks", "[analysis]") {
  const auto rows = times_of({0.011, 0.012, 0.013, 0.012, 0.012},
                             {0.010, 0.010, 0.011, 0.011, 0.010},
                             OrderDesign::kBlocks);

  // 1, 2, 2, 1, 2 ms: mean 1.6, sd 0.5477, t of 4 degrees of freedom 2.776445, so 0.68009 ms.
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].metric == "communication_overhead_s");
  CHECK(rows[0].cell_id == 2);
  CHECK(*rows[0].value == Approx(0.0016));
  CHECK(*rows[0].lo == Approx(0.0016 - 0.00068009).epsilon(1e-5));
  CHECK(*rows[0].hi == Approx(0.0016 + 0.00068009).epsilon(1e-5));
  CHECK(rows[0].method == "paired_t");
  CHECK(rows[0].n == 5);
}

TEST_CASE("of five sessions communication takes the mean difference of sessions", "[analysis]") {
  // Of two trials each, whose means are those above.
  std::vector<CellObservation> cells = {
      test::observe_cell(test::make_cell(2, 2, 256),
                         {0.010, 0.012, 0.012, 0.012, 0.012, 0.014, 0.011, 0.013, 0.012, 0.012}),
      test::observe_cell(test::make_control(3, test::make_cell(2, 2, 256), CellRole::kNoop),
                         {0.009, 0.011, 0.010, 0.010, 0.011, 0.011, 0.012, 0.010, 0.009, 0.011})};
  for (CellObservation& cell : cells) {
    for (std::size_t i = 0; i < cell.trials.size(); ++i) {
      cell.trials[i].row.session_id = static_cast<std::int64_t>(i / 2) + 1;
    }
  }
  const auto observation = test::make_observation(cells, Scaling::kStrong);
  const Study study = test::make_study(OrderDesign::kBlocks);

  const auto rows = communication_times(compare_cells(observation, study), observation, study);

  REQUIRE(rows.size() == 1);
  CHECK(*rows[0].value == Approx(0.0016));
  CHECK(*rows[0].lo == Approx(0.0016 - 0.00068009).epsilon(1e-5));
  CHECK(*rows[0].hi == Approx(0.0016 + 0.00068009).epsilon(1e-5));
}

TEST_CASE("few trials, and trials in no blocks, are independent", "[analysis]") {
  const auto few = times_of({0.011, 0.012, 0.013}, {0.010, 0.010, 0.011}, OrderDesign::kBlocks);
  REQUIRE(few.size() == 1);
  CHECK(few[0].method == "welch_t");
  CHECK(*few[0].value == Approx(0.012 - 0.031 / 3.0));

  const auto batch = times_of({0.011, 0.012, 0.013, 0.012, 0.012},
                              {0.010, 0.010, 0.011, 0.011, 0.010},
                              OrderDesign::kBatch);
  REQUIRE(batch.size() == 1);
  CHECK(batch[0].method == "welch_t");
  CHECK(*batch[0].value == Approx(0.0016));
}

TEST_CASE("a cell without the control has no time of communication", "[analysis]") {
  const auto observation =
      test::make_observation({test::observe_cell(test::make_cell(1, 1, 256), {0.02, 0.02, 0.021}),
                              test::observe_cell(test::make_cell(2, 2, 256), {0.01, 0.012, 0.011})},
                             Scaling::kStrong);
  const Study study = test::make_study();
  CHECK(communication_times(compare_cells(observation, study), observation, study).empty());
}

// By the first look, after 8 of 40 blocks, at 1 - 0.01477, t(7) is 3.214; at 95 % it is 2.365.
TEST_CASE("the time that communication takes allows for looks as its share does", "[analysis]") {
  Study study = test::make_study();
  study.trials = {.count = 40, .min = 8, .until = std::nullopt, .is_for_verdicts = true};
  const CellRow cell = test::make_cell(2, 2, 256);
  const auto observation = test::make_observation(
      {test::observe_cell(cell, {1.06, 1.00, 1.06, 1.00, 1.06, 1.00, 1.06, 1.00}),
       test::observe_cell(test::make_control(3, cell, CellRole::kNoop),
                          std::vector<double>(8, 1.0))},
      Scaling::kStrong);
  const auto comparisons = compare_cells(observation, study);
  const auto rows = communication_times(comparisons, observation, study);

  // 60 and 0 ms in turn: mean 30, standard error 30 / sqrt(7) = 11.339 ms.
  REQUIRE(rows.size() == 1);
  CHECK(*rows[0].value == Approx(0.030));
  CHECK(*rows[0].lo == Approx(0.030 - 3.214 * 0.011339).epsilon(1e-2));
  CHECK(*rows[0].lo < 0.0);
  CHECK(*test::find(comparisons, "communication_overhead", 2).lo < 0.0);
  CHECK(rows[0].confidence == Approx(1.0 - 0.01477).epsilon(1e-5));  // of the first look
}

// Two cells of two devices, the first the baseline, each with its control.
std::vector<CellObservation> with_controls(const std::vector<double>& base_s,
                                           const std::vector<double>& base_without_s,
                                           const std::vector<double>& cell_s,
                                           const std::vector<double>& cell_without_s) {
  CellRow base = test::make_cell(1, 2, 256);
  base.hash = "base";
  base.baseline = "base";
  CellRow cell = base;
  cell.id = 2;
  cell.hash = "cell";
  return {test::observe_cell(base, base_s),
          test::observe_cell(cell, cell_s),
          test::observe_cell(test::make_control(3, base, CellRole::kNoop), base_without_s),
          test::observe_cell(test::make_control(4, cell, CellRole::kNoop), cell_without_s)};
}

std::vector<EstimateRow> reductions_of(std::vector<CellObservation> cells) {
  return overhead_reductions(test::make_observation(std::move(cells), Scaling::kStrong),
                             test::make_study());
}

const std::vector<double> kBaseStep = {14.0, 15.0, 16.0, 15.0};
const std::vector<double> kCellStep = {11.0, 11.0, 12.0, 12.0};

// Exposed 4, 5, 6, 5 and, with steps of 9 and not 10 without communication, 2, 2, 3, 3: half is
// removed, with the ends of tests/stats/reduction_test.cc.
TEST_CASE("a setting removes a share of the step beyond the same step without communication",
          "[analysis]") {
  const auto rows = reductions_of(with_controls(
      kBaseStep, std::vector<double>(4, 10.0), kCellStep, std::vector<double>(4, 9.0)));

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].metric == "overhead_reduction");
  CHECK(rows[0].cell_id == 2);
  CHECK(rows[0].status == RowStatus::kOk);
  CHECK(*rows[0].value == Approx(0.5));
  CHECK(*rows[0].lo == Approx(0.365456).epsilon(1e-5));
  CHECK(*rows[0].hi == Approx(0.634544).epsilon(1e-5));
  CHECK(rows[0].n == 4);
  CHECK(rows[0].trials.size() == 16);
}

TEST_CASE("a block that one of the four cells lacks is left out of a reduction", "[analysis]") {
  std::vector<CellObservation> cells = with_controls(
      kBaseStep, std::vector<double>(4, 10.0), kCellStep, std::vector<double>(4, 9.0));
  cells[3].trials.erase(cells[3].trials.begin());
  const auto rows = reductions_of(std::move(cells));

  // 5, 6, 5 and 2, 3, 3
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].n == 3);
  CHECK(*rows[0].value == Approx(1.0 - 8.0 / 16.0));
  CHECK(rows[0].trials.size() == 12);
}

TEST_CASE("without controls a reduction is of the communication that programs timed",
          "[analysis]") {
  std::vector<CellObservation> cells = with_controls(kBaseStep, {}, kCellStep, {});
  cells.resize(2);
  CHECK(reductions_of(cells).empty());

  for (CellObservation& cell : cells) {
    for (TrialObservation& trial : cell.trials) {
      const TrialMetric step = trial.metrics.at("step_time_s");
      trial.metrics["exposed_communication_time_s"] = step;
      trial.metrics["exposed_communication_time_s"].mean = step.mean - 10.0;
    }
  }
  const auto rows = reductions_of(cells);

  // 4, 5, 6, 5 and 1, 1, 2, 2
  REQUIRE(rows.size() == 1);
  CHECK(*rows[0].value == Approx(1.0 - 6.0 / 20.0));

  // 4, 5, 6, 5 and 0, 0, 0, 4: of 80 % the interval of Fieller's method ends above all.
  const double waits_s[] = {0.0, 0.0, 0.0, 4.0};
  std::vector<CellObservation> uneven = cells;
  for (std::size_t i = 0; i < 4; ++i) {
    uneven[1].trials[i].metrics.at("exposed_communication_time_s").mean = waits_s[i];
  }
  CHECK(*reductions_of(uneven).at(0).value == Approx(0.8));
  CHECK(*reductions_of(uneven).at(0).hi == 1.0);

  Study asking = test::make_study();
  asking.analysis.metrics = {{.metric = "exposed_communication_time_s"}};
  CHECK(overhead_reductions(test::make_observation(cells, Scaling::kStrong), asking).empty());
}

TEST_CASE("where the base's communication may be nothing, nothing is removed", "[analysis]") {
  const auto rows = reductions_of(
      with_controls(kBaseStep, {15.0, 14.0, 15.0, 16.0}, kCellStep, std::vector<double>(4, 9.0)));

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].status == RowStatus::kUnresolved);
  CHECK_FALSE(rows[0].value.has_value());
}

TEST_CASE("a cell of other devices or another batch than its baseline has no reduction",
          "[analysis]") {
  std::vector<CellObservation> cells = with_controls(
      kBaseStep, std::vector<double>(4, 10.0), kCellStep, std::vector<double>(4, 9.0));
  REQUIRE(reductions_of(cells).size() == 1);
  cells[1].row.batch_global = 512;
  CHECK(reductions_of(cells).empty());
  cells[1].row.batch_global = 256;
  cells[1].row.devices = 4;
  CHECK(reductions_of(cells).empty());
}

}  // namespace
