// Comparisons of cells that a test observed by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

inline Study make_study(OrderDesign design = OrderDesign::kBlocks) {
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = design;
  return study;
}

inline std::vector<ComparisonRow> compare(std::vector<CellObservation> cells,
                                          const Study& study,
                                          Scaling scaling = Scaling::kStrong) {
  return compare_cells(make_observation(std::move(cells), scaling), study);
}

inline ComparisonRow find(const std::vector<ComparisonRow>& rows,
                          const std::string& quantity,
                          std::int64_t cell_id) {
  const auto found = std::ranges::find_if(rows, [&](const ComparisonRow& row) {
    return row.quantity == quantity && row.cell_id == cell_id;
  });
  INFO("looking for " << quantity << " of cell " << cell_id);
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace scalestudy::test
