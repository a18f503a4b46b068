#include "harness/analysis/compare/communication_time.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/ratios.h"
#include "stats/compare.h"
#include "stats/reduction.h"
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

// The exposed communication of a cell by block, in s, and the cells that it follows from: the step
// less that of the control noop, else what the program timed. Empty if there is neither.
struct Exposed {
  Times times_s;
  std::vector<const CellObservation*> cells;
};

Exposed exposed_of(const CellObservation& cell, const CellObservation* noop) {
  Exposed exposed{.times_s = {}, .cells = {&cell}};
  const auto times = [](const CellObservation& of, const char* metric) {
    Times times_s;
    for (const TrialObservation& trial : of.trials) {
      if (const auto found = trial.metrics.find(metric); found != trial.metrics.end()) {
        times_s.emplace(session_block(trial.row), found->second.mean);
      }
    }
    return times_s;
  };
  if (noop == nullptr) {
    exposed.times_s = times(cell, kExposed);
    return exposed;
  }
  exposed.cells.push_back(noop);
  const Times without_s = times(*noop, kStepTime);
  for (const auto& [block, with_s] : times(cell, kStepTime)) {
    if (const auto found = without_s.find(block); found != without_s.end()) {
      exposed.times_s.emplace(block, with_s - found->second);
    }
  }
  return exposed;
}

bool has_equal_work(const CellRow& one, const CellRow& other) {
  return one.devices == other.devices && one.nodes == other.nodes &&
         one.batch_global == other.batch_global;
}

// Ids of the cells' trials in these blocks, ascending.
TrialIds trials_in(const Times& blocks, const Exposed& one, const Exposed& other) {
  TrialIds ids;
  for (const Exposed* exposed : {&one, &other}) {
    for (const CellObservation* cell : exposed->cells) {
      for (const TrialObservation& trial : cell->trials) {
        if (blocks.contains(session_block(trial.row))) {
          ids.push_back(trial.row.id);
        }
      }
    }
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // of a control that both share
  return ids;
}

std::optional<EstimateRow> reduction_of(const CellObservation& base,
                                        const CellObservation& cell,
                                        const StudyObservation& observation,
                                        const Study& study) {
  const CellObservation* base_noop = noop_of(observation, base);
  const CellObservation* noop = noop_of(observation, cell);
  const bool has_noops = base_noop != nullptr && noop != nullptr;
  if (!has_noops && find_request(study.analysis, kExposed) != nullptr) {
    return std::nullopt;  // the comparison of that metric says so
  }
  Exposed of_base = exposed_of(base, has_noops ? base_noop : nullptr);
  Exposed of_cell = exposed_of(cell, has_noops ? noop : nullptr);
  if (of_base.times_s.empty() || of_cell.times_s.empty()) {
    return std::nullopt;
  }
  std::erase_if(of_base.times_s,
                [&](const auto& at) { return !of_cell.times_s.contains(at.first); });
  std::erase_if(of_cell.times_s,
                [&](const auto& at) { return !of_base.times_s.contains(at.first); });
  EstimateRow row;
  row.trials = trials_in(of_base.times_s, of_base, of_cell);
  const Times of_sessions = session_means(of_base.times_s);
  if (of_sessions.size() >= kSessionsAsUnit) {
    of_base.times_s = of_sessions;
    of_cell.times_s = session_means(of_cell.times_s);
  }
  const double level = time_ratio(base, cell, 1.0, study).looks.confidence;
  const stats::Reduction reduction =
      stats::reduction(values_of(of_base.times_s), values_of(of_cell.times_s), level);
  row.cell_id = cell.row.id;
  row.metric = "overhead_reduction";
  row.unit = "1";
  row.value = reduction.share;
  row.lo = reduction.lo;
  row.hi = reduction.hi;
  if (!has_noops && row.hi && *row.value <= 1.0) {
    row.hi = std::min(*row.hi, 1.0);  // a program waits for no less than 0 s
  }
  row.confidence = level;
  row.method = "reduction";
  row.n = static_cast<std::int64_t>(reduction.n);
  row.n_planned = row.n;
  row.status = row_status(reduction.status);
  return row;
}

}  // namespace

std::vector<EstimateRow> overhead_reductions(const StudyObservation& observation,
                                             const Study& study) {
  std::vector<EstimateRow> rows;
  for (const CellObservation& cell : observation.cells) {
    const CellObservation* base = observation.find_cell(cell.row.baseline);
    if (cell.row.role != CellRole::kMeasured || base == nullptr || base == &cell ||
        cell.row.devices == 1 || !has_equal_work(base->row, cell.row)) {
      continue;
    }
    if (std::optional<EstimateRow> row = reduction_of(*base, cell, observation, study)) {
      rows.push_back(*std::move(row));
    }
  }
  return rows;
}

std::vector<EstimateRow> communication_times(const std::vector<ComparisonRow>& comparisons,
                                             const StudyObservation& observation,
                                             const Study& study) {
  std::vector<EstimateRow> rows;
  for (const ComparisonRow& ratio : comparisons) {
    if (ratio.quantity != kOverhead || !ratio.value) {
      continue;
    }
    const CellObservation& cell = *observation.find_cell(ratio.cell_id);
    const CellObservation& base = *observation.find_cell(ratio.baseline_cell_id);
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
