// Cells that differ in a metric of the study's program, memory, and studies that ask for it.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/analysis/compared_cells.h"

namespace scalestudy::test {

// Equal step times, and `means` of the metric memory; its medians are 1 in all trials.
inline CellObservation with_memory(const CellRow& row, const std::vector<double>& means) {
  CellObservation cell = observe_cell(row, std::vector<double>(means.size(), 0.5));
  for (std::size_t i = 0; i < means.size(); ++i) {
    cell.trials[i].metrics["memory"] = {
        .steps = 100, .mean = means[i], .p50 = 1.0 + 0.001 * static_cast<double>(i % 3)};
  }
  return cell;
}

inline Study study_of_memory(bool is_higher_better, TrialStatistic by = TrialStatistic::kMean) {
  Study study = make_study();
  study.analysis.metrics = {{.metric = "memory", .is_higher_better = is_higher_better, .by = by}};
  return study;
}

}  // namespace scalestudy::test
