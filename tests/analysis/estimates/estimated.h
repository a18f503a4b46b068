// The rows of cells by hand.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/estimates/estimates.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

inline Study make_study() {
  Study study;
  study.workload = Workload::kTrain;
  study.cost = Cost{.price = {.per_device_hour = 2.5}, .currency = "EUR"};
  return study;
}

inline EstimateRow find_estimate(const std::vector<EstimateRow>& rows,
                                 const std::string& metric,
                                 Statistic statistic = Statistic::kMean,
                                 Variant variant = Variant::kAll) {
  const auto found = std::ranges::find_if(rows, [&](const EstimateRow& row) {
    return row.metric == metric && row.statistic == statistic && row.variant == variant;
  });
  INFO("looking for " << metric << " " << to_word(statistic) << " " << to_word(variant));
  REQUIRE(found != rows.end());
  return *found;
}

inline bool has(const std::vector<EstimateRow>& rows, const std::string& metric) {
  return std::ranges::find(rows, metric, &EstimateRow::metric) != rows.end();
}

inline std::vector<EstimateRow> estimate(CellObservation cell, const Study& study = make_study()) {
  return estimate_cells(make_observation({std::move(cell)}, Scaling::kStrong), study);
}

}  // namespace scalestudy::test
