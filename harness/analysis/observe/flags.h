// Which trials and steps the study's outlier rule marks. Nothing is removed: every estimate is made
// with and without the marked trials.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Fewest values among which one can be marked: fewer have no centre to stand out from.
inline constexpr std::size_t kLeastToClassify = 3;

// Steps in a batch mean: neighbouring steps are correlated, means of batches hardly (Schmeiser
// 1982).
inline constexpr std::size_t kBatchSteps = 5;

// The values of the series after its warm-up; only those of the warm-up may be missing.
std::span<const double> measured_values(const SeriesRow& series);

// The summary that is kept of one series; absent if it has no measured step.
std::optional<TrialMetric> summarise_series(const SeriesRow& series);

// Marks the measured steps of one step-time series by the rule.
StepFlags flag_steps(const SeriesRow& step_times, const OutlierRule& rule);

// Marks the trials of one cell by their mean step times: sets `flagged` and `score`, and the cell's
// own `slow_p`. Fewer than kLeastToClassify trials are never marked.
void flag_trials(const OutlierRule& rule, CellObservation& cell);

// Adjusts slow_p over the cells (Holm), so that at most kFalseAlarms of clean studies get the
// threat rare_slow_trials.
void adjust_slow_p(std::vector<CellObservation>& cells);
inline constexpr double kFalseAlarms = 0.05;

// Whether slow trials stand out (high_outliers of the logarithms, up to a third of the trials) in a
// cell of too few trials to meet such states reliably: 29 trials meet a state that one launch in
// ten has with probability 95 % (1 - 0.9^29). The study's outlier rule does not matter: it marks
// trials in most clean cells.
bool has_rare_slow_trials(const CellObservation& cell);
inline constexpr std::size_t kTrialsToMeetRareStates = 29;

// The rule as text: "modified-z > 3.5", "tukey > 3 IQR".
std::string format_rule(const OutlierRule& rule);

// Rows for every marked trial, and for every trial with marked steps.
std::vector<FlagRow> flag_rows(const StudyObservation& observation, const OutlierRule& rule);

// A row for every cell with marked steps.
std::vector<FlaggedStepsRow> flagged_steps(const StudyObservation& observation);

}  // namespace scalestudy
