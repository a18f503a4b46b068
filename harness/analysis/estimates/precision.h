// The precision of a cell after its first trials, by which adaptive runs stop, and what stopped
// each cell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/cells/sessions.h"
#include "harness/store/rows/runs.h"

namespace scalestudy {

struct TrialPrecision {
  std::optional<double> relative_half_width;  // of the mean step time; absent below 2 trials
  std::optional<std::int64_t> met_at;         // number of trials when it first met trials.until
  std::optional<std::int64_t> stop_at;        // trials the cell needs; absent while it is not met
};

// Replays stopping_rule of stats over one cell: it looks after every trial from trials.min on, by
// the interval that is printed (interval_over_trials, which knows sessions), then asks for two
// trials more. Without `until` there is no met_at and no stop_at.
// - trials: mean step times of the cell's ok trials in order of block, > 0.
// - source: METHODS.md, Adaptive stopping: precision only, never a p value.
TrialPrecision trial_precision(const Study& study, const std::vector<TrialMean>& trials);

struct CellStop {
  RowStatus reason = RowStatus::kUnfinished;
  TrialPrecision achieved;  // over all ok trials, also those run because other cells needed more
};

// What ended the trials of a measured cell of an adaptive study, derived from the trials. Absent
// for controls, which run along, and for a fixed number of trials.
// - precision: the target was met and the extra trials are done.
// - budget: no trial is left to run, and the rule had not stopped the cell.
// - time: trials are left, and the last session ended at limits.max_time.
// - unfinished: trials are left for another reason.
std::optional<CellStop> find_stop(const CellObservation& cell,
                                  const StudyObservation& observation,
                                  const Study& study);

// The threat `adaptive`: how many cells met the target and after how many trials, and which did
// not; a warning if some did not. None for a fixed number of trials.
std::vector<ThreatRow> adaptive_threats(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy
