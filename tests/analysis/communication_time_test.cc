// What communication takes of a step as a time, by hand.
#include "harness/analysis/communication_time.h"

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
  return communication_times(compare_cells(observation, test::make_study(design)), observation);
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
  CHECK(communication_times(compare_cells(observation, test::make_study()), observation).empty());
}

}  // namespace
