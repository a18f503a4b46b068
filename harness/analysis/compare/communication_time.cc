#include "harness/analysis/compare/communication_time.h"

#include <algorithm>
#include <map>

#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/ratios.h"
#include "stats/compare.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

using Times = std::map<SessionBlock, double>;

// Step times of these trials of the cell, in s; ids ascending.
Times times_of(const CellObservation& cell, const TrialIds& ids) {
  Times times_s;
  for (const TrialObservation& trial : cell.trials) {
    const auto step = trial.metrics.find(kStepTime);
    if (step != trial.metrics.end() && std::ranges::binary_search(ids, trial.row.id)) {
      times_s.emplace(session_block(trial.row), step->second.mean);
    }
  }
  return times_s;
}

// One mean a session, as if each were a block.
Times session_means(const Times& times_s) {
  SessionValues by_session;
  for (const auto& [block, time_s] : times_s) {
    by_session[block.first].push_back(time_s);
  }
  Times means_s;
  for (const auto& [session, values] : by_session) {
    means_s.emplace(SessionBlock{session, 0}, *stats::mean(values));
  }
  return means_s;
}

std::vector<double> values_of(const Times& times_s) {
  std::vector<double> values;
  for (const auto& [block, time_s] : times_s) {
    values.push_back(time_s);
  }
  return values;
}

}  // namespace

std::vector<EstimateRow> communication_times(const std::vector<ComparisonRow>& comparisons,
                                             const StudyObservation& observation,
                                             const Study& study) {
  std::map<std::int64_t, const CellObservation*> cells;
  for (const CellObservation& cell : observation.cells) {
    cells.emplace(cell.row.id, &cell);
  }
  std::vector<EstimateRow> rows;
  for (const ComparisonRow& ratio : comparisons) {
    if (ratio.quantity != kOverhead || !ratio.value) {
      continue;
    }
    const CellObservation& cell = *cells.at(ratio.cell_id);
    const CellObservation& base = *cells.at(ratio.baseline_cell_id);
    const double level = time_ratio(base, cell, 1.0, study).looks.confidence;
    Times with_s = times_of(cell, ratio.trials);
    Times without_s = times_of(base, ratio.baseline_trials);
    if (ratio.method == RatioMethod::kSessions) {
      with_s = session_means(with_s);
      without_s = session_means(without_s);
    }
    const std::vector<double> a = values_of(with_s);
    const std::vector<double> b = values_of(without_s);
    const bool is_paired = ratio.method != RatioMethod::kIndependent;
    const stats::Difference difference =
        is_paired ? stats::paired_t(a, b, level) : stats::welch_t(a, b, level);
    EstimateRow row;
    row.cell_id = ratio.cell_id;
    row.metric = "communication_overhead_s";
    row.unit = "s";
    row.value = difference.diff;
    row.lo = difference.lo;
    row.hi = difference.hi;
    row.confidence = ratio.confidence;
    row.method = is_paired ? "paired_t" : "welch_t";
    row.n = ratio.n;
    row.n_planned = ratio.n;
    row.status = row_status(difference.status);
    row.trials = trials_of_both(ratio);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace scalestudy
