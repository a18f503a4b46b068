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

}  // namespace
