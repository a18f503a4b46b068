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

// Input of oracle log_ratio_paired/blocks_10 (06_ratios.json), by block.
inline const std::vector<double> kPairedBase = {0.417298624,
                                                0.407706131,
                                                0.409757818,
                                                0.405755634,
                                                0.371681425,
                                                0.404606549,
                                                0.424424928,
                                                0.382433097,
                                                0.400652213,
                                                0.349208344};
inline const std::vector<double> kPairedCell = {0.113902092,
                                                0.112387407,
                                                0.113514646,
                                                0.112588137,
                                                0.10042061,
                                                0.111818303,
                                                0.117686766,
                                                0.104442975,
                                                0.110534975,
                                                0.0957780458};

}  // namespace scalestudy::test
