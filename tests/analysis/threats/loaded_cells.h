// Cells whose trials met load, and what is said of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/compared_cells.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

inline constexpr std::size_t kBlocks = 20;

// The cell with all loads known: none.
inline CellObservation alone(CellObservation cell) {
  for (TrialObservation& trial : cell.trials) {
    trial.row.foreign_load = 0.0;
  }
  return cell;
}

// 1 device at 1 s +- 2 %, and 2 devices at 0.5 s +- 2 % in other blocks: speedups of 1.92, 2 and
// 2.08.
inline std::vector<CellObservation> two_cells() {
  std::vector<double> one;
  std::vector<double> two;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    one.push_back(block % 2 == 0 ? 0.98 : 1.02);
    two.push_back(0.5 * (block % 4 < 2 ? 0.98 : 1.02));
  }
  return {alone(observe_cell(make_cell(1, 1, 8), one)),
          alone(observe_cell(make_cell(2, 2, 8), two))};
}

inline std::vector<ThreatRow> threats_of(StudyObservation observation,
                                         const Study& study = make_study()) {
  observation.cores = observation.cores.value_or(4.0);
  Results results;
  results.estimates = estimate_cells(observation, study);
  results.comparisons = compare_cells(observation, study);
  return load_threats(observation, study, results);
}

inline ThreatRow only_threat(std::vector<CellObservation> cells,
                             const Study& study = make_study()) {
  const auto rows = threats_of(make_observation(std::move(cells), Scaling::kStrong), study);
  REQUIRE(rows.size() == 1);
  return rows[0];
}

inline void load(CellObservation& cell, const std::vector<std::size_t>& blocks) {
  for (const std::size_t block : blocks) {
    cell.trials.at(block).row.foreign_load = 0.5;
  }
}

inline void load_all(CellObservation& cell) {
  for (TrialObservation& trial : cell.trials) {
    trial.row.foreign_load = 0.5;
  }
}

inline void slow(CellObservation& cell, const std::vector<std::size_t>& blocks, double factor) {
  for (const std::size_t block : blocks) {
    cell.trials.at(block).metrics[kStepTime].mean *= factor;
  }
}

// Cells of 1, 2, 4 ... devices with speedups of 1, 2, 3 ...; trials vary by 2 %.
inline std::vector<CellObservation> growing_cells(std::int64_t count = 7) {
  std::vector<CellObservation> cells;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<double> times;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const std::size_t place = block * static_cast<std::size_t>(i + 1) % 11;
      times.push_back((0.98 + 0.004 * static_cast<double>(place)) / static_cast<double>(i + 1));
    }
    cells.push_back(alone(observe_cell(make_cell(i + 1, std::int64_t{1} << i, 8), times)));
  }
  return cells;
}

}  // namespace scalestudy::test
