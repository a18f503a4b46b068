// Which trials and steps the study's outlier rule marks. Nothing is removed: every estimate is made
// with and without the marked trials.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Fewer values than this have no centre to stand out from.
inline constexpr std::size_t kLeastToClassify = 3;

// Steps of a batch mean: neighbours are correlated, batches of them hardly (Schmeiser 1982).
inline constexpr std::size_t kBatchSteps = 5;

// What is kept of one series; absent when it has no measured step.
std::optional<TrialMetric> summarise_series(const SeriesRow& series);

// Steps of one step-time series under the rule, warm-up left out.
StepFlags flag_steps(const SeriesRow& step_times, const OutlierRule& rule);

// Marks the trials of one cell by their mean step times: sets `flagged` and `score`, and the cell's
// own `slow_p`. Fewer than kLeastToClassify trials are never marked.
void flag_trials(const OutlierRule& rule, CellObservation& cell);

// Holm over the cells, so that "rare slow trials" is said of at most kFalseAlarms of clean studies.
void adjust_slow_p(std::vector<CellObservation>& cells);
inline constexpr double kFalseAlarms = 0.05;

// Slow trials stand out (high_outliers of the logarithms, up to a third of the trials) among too
// few to meet such reliably: a state that one launch in ten is in is met by 29 trials with 95 %
// (1 - 0.9^29). The study's outlier rule has no part in it: it marks some of most clean cells.
bool has_rare_slow_trials(const CellObservation& cell);
inline constexpr std::size_t kTrialsToMeetRareStates = 29;

// "modified-z > 3.5", "tukey > 3 IQR".
std::string format_rule(const OutlierRule& rule);

// Rows for every marked trial, and for every trial with marked steps.
std::vector<FlagRow> flag_rows(const StudyObservation& observation, const OutlierRule& rule);

// Of every cell with marked steps.
std::vector<FlaggedStepsRow> flagged_steps(const StudyObservation& observation);

}  // namespace scalestudy
