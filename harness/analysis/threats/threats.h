// What the results cannot bear, as sentences with their numbers.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Drift, warm_up and slow_node are said where the p value of their test, adjusted where it is one
// of several, is below this.
inline constexpr double kThreatAlpha = 0.05;

// Threats from how the trials were run: few_trials, failed_trials, retried_failures,
// excluded_trials (by hand), foreign_load, steal, throttled, zero_variance (step times that are all
// equal), oversubscribed, missing_baseline, changed_study, changed_cores (of a rank, within a
// cell), changed_analysis, mixed_units, missing_metrics (that an extract rule found in some trials
// or none), adaptive.
std::vector<ThreatRow> condition_threats(const StudyObservation& observation, const Study& study);

// Threats from what a command of the user's leaves to chance: single_steps, where all that follows
// its warm-up is measured and that is one step; impossible_times, whose sum is longer than the
// trial was, as of a wrong unit; and failed_cleanup.
std::vector<ThreatRow> command_threats(const StudyObservation& observation, const Study& study);

// Threats from what the machine did: disturbed_trials (that were put aside, or that are not spread
// over the cells as by chance), changed_machine (the product timed around blocks took longer in one
// of them, or from one on). Each test is wrong in at most 5 % of studies on a steady machine
// (tests/analysis/simulation).
std::vector<ThreatRow> machine_threats(const StudyObservation& observation, const Study& study);

// Threats from how the step times moved: drift over the session (of block means; inside the cells
// where the order is batch), warm_up left over in the measured steps, unsteady trials, outliers and
// rare_slow_trials. Each of the words drift, warm_up and rare_slow_trials is said of at most 5 % of
// clean studies (tests/bench/coverage.cc).
//   estimates, comparisons  of the same observation, estimates with both variants.
std::vector<ThreatRow> steadiness_threats(const StudyObservation& observation,
                                          const Study& study,
                                          const std::vector<EstimateRow>& estimates,
                                          const std::vector<ComparisonRow>& comparisons);

// slow_node: sessions on some node took longer than those without it, after cells and blocks are
// taken out; a session is one value, as its trials share more than their node. Absent where all
// trials had the same nodes, or no node has two sessions that had it and two that had not. Said of
// at most 5 % of clean studies.
std::vector<ThreatRow> node_threats(const StudyObservation& observation);

// Threats from variables that were to set libraries up (settings.h): unapplied_settings and
// unconfirmed_settings, the latter of NCCL and Open MPI alone.
std::vector<ThreatRow> setting_threats(const StudyObservation& observation);

// Threats from how the built-in training communicates and what it trains on: communication_thread
// (also of one that reads ahead), overlap_algorithm, several_differences, learned_by_heart,
// emulated (of links also the workload collective).
std::vector<ThreatRow> training_threats(const StudyObservation& observation, const Study& study);

// Threats from results that do not fit together: superlinear speedups, control_failed (aa),
// unequal_devices (device_match: beyond the margin, after Holm over the devices), phases
// that do not add up to the step, definitions (trials whose step times are not the same thing).
std::vector<ThreatRow> consistency_threats(const StudyObservation& observation,
                                           const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
