// Threats to the validity of results, as sentences with their numbers.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// The threats warm_up, slow_node and slow_link are raised if the p value of their test, adjusted if
// it is one of several, is below this; the two tests of drift have it together.
inline constexpr double kThreatAlpha = 0.05;

// Threats from which trials the results rest on: imported (read from logs), few_trials,
// failed_trials, retried_failures, pruned.
std::vector<ThreatRow> trial_threats(const StudyObservation& observation, const Study& study);

// Those, and threats from how the trials were run: throttled, zero_variance (step times that are
// all equal), oversubscribed, software_types, missing_baseline, changed_study, changed_cores (of a
// rank, within a cell), changed_analysis, mixed_units, missing_metrics (that an extract rule found
// in some trials or none), adaptive.
std::vector<ThreatRow> condition_threats(const StudyObservation& observation, const Study& study);

// The threat excluded_trials: some were excluded by hand.
// - all: with trials that no result rests on, such as those of a race, which chose what to measure.
std::vector<ThreatRow> exclusion_threats(const StudyObservation& all);

// The threats foreign_load, steal and limited_load: others took more than 3 % of the cores during
// some trials. A note if that is harmless, else a warning, and limited_load if it puts only some
// results in doubt (load_effect.h). Also a note on trials that were too short for a reading, if
// nothing else is said of load. None if the devices are elsewhere (`where: remote`), as for
// machine_threats().
// - results: with the estimates and comparisons of the observation.
// - choices: compare_with_best() of the same.
std::vector<ThreatRow> load_threats(const StudyObservation& observation,
                                    const Study& study,
                                    const Results& results,
                                    const std::vector<ComparisonRow>& choices = {});

// Threats from a command of the user's: single_steps (all that follows its warm-up is measured, and
// that is one step), impossible_times (their sum is longer than the trial was, as with a wrong
// unit; not if the devices are elsewhere), repeated_steps (lines that look as if they
// show a step again, or, as a note, numbers of steps that go back), decimal_commas
// (commas read as thousands may be decimal ones), unread_output (lines too long for rules, or
// UTF-16), error_lines (output tells of an error under exit code 0, or a log does), changed_study
// (programs were edited while a session ran), unknown_work (speedups over devices lack the batch)
// and declared_devices (a note: they are elsewhere). Of any workload: failed_cleanup,
// left_by_setup.
std::vector<ThreatRow> command_threats(const StudyObservation& observation, const Study& study);

// The threat printed_rates: a rate that the command prints is not what its name says
// (estimates/printed_rates.h), one row a metric and verdict.
std::vector<ThreatRow> printed_rate_threats(const StudyObservation& observation,
                                            const std::vector<EstimateRow>& estimates);

// Threats from what the machine did: disturbed_trials (some were put aside, or they are not spread
// over the cells as by chance), changed_machine (the matrix product timed around blocks took longer
// in one of them, or from one on). Each test is wrong in at most 5 % of studies on a steady machine
// (tests/analysis/simulation).
std::vector<ThreatRow> machine_threats(const StudyObservation& observation, const Study& study);

// The threat drift: inside sessions, block means (with order batch the trials of a cell) have a
// trend, or else neighbours are so alike that intervals are too narrow. The trend is tested at
// 0.04, the likeness at 0.01, but not if a cell has kSessionsAsUnit sessions. A note if neither is
// shown; none below five values.
std::vector<ThreatRow> drift_threats(const StudyObservation& observation,
                                     const Study& study,
                                     const std::vector<ComparisonRow>& comparisons);

// Threats from how the step times moved: drift_threats(), warm_up left over in the measured steps,
// unsteady trials, outliers and rare_slow_trials (a warning if one such trial moves a mean by more
// than half the margin). At most 5 % of clean studies get drift, warm_up or rare_slow_trials, each
// (tests/bench/coverage.cc).
// - estimates, comparisons: those of the same observation, estimates with both variants.
std::vector<ThreatRow> steadiness_threats(const StudyObservation& observation,
                                          const Study& study,
                                          const std::vector<EstimateRow>& estimates,
                                          const std::vector<ComparisonRow>& comparisons);

// Threats from what step times cover. Of a command's extract rules: line_arrival (the lines that
// tell step times arrive at twice the distance or more, or at half or less; a warning if a likely
// mistake explains it within 25 %) and uncovered_time (step times add up to less than a tenth of
// the trial; with the mistake by which they would be 50 to 105 % of it). Of a command:
// zero_variance (times in so coarse a unit that rounding does not average out). Of all workloads:
// periodic_steps. At most 5 % of clean studies get the last.
std::vector<ThreatRow> step_threats(const StudyObservation& observation, const Study& study);

// The threat slow_node: sessions on some node took longer than those without it, after the effects
// of cells and blocks are removed. A session is one value, because its trials share more than their
// node. Absent if all trials had the same nodes, or no node has two sessions with it and two
// without. At most 5 % of clean studies get it.
std::vector<ThreatRow> node_threats(const StudyObservation& observation);

// The threat slow_link: ping-pongs of a pair, or of several at once, took longer than those of the
// others by more than the margin, within blocks. It says which pairs to measure next to find the
// link in a group (stats/slow_links.h). At most 5 % of studies with links that are alike get it.
std::vector<ThreatRow> link_threats(const StudyObservation& observation, const Study& study);

// Threats from variables for libraries (cells/settings.h): unapplied_settings and
// unconfirmed_settings, the latter for NCCL and Open MPI alone.
std::vector<ThreatRow> setting_threats(const StudyObservation& observation);

// Threats from how the built-in training communicates and what it trains on: communication_thread
// (also for a thread that reads ahead), overlap_algorithm, several_differences, learned_by_heart,
// emulated (emulated links also for the workload collective).
std::vector<ThreatRow> training_threats(const StudyObservation& observation, const Study& study);

// Threats from results that do not fit together: superlinear speedups, control_failed (aa),
// unequal_devices (device_match: beyond the margin, after Holm over the devices), phases
// that do not add up to the step, definitions (trials whose step times are not the same thing).
std::vector<ThreatRow> consistency_threats(const StudyObservation& observation,
                                           const std::vector<ComparisonRow>& comparisons);

// The threat phases, of a part of the step that is longer than the step (is_longer_than_step) in
// cells that lack the phases by which consistency_threats() would find it.
std::vector<ThreatRow> part_threats(const StudyObservation& observation,
                                    const std::vector<EstimateRow>& estimates);

// The threat sessions, as a warning: some cell is faster than its base in one session and slower in
// another, both by more than the margin and than chance (Bonferroni over cells and sessions at
// kThreatAlpha, of kLeastBlocks trials a side or more). None for a comparison whose unit is the
// session, as its interval allows for that.
std::vector<ThreatRow> opposite_sessions(const StudyObservation& observation,
                                         const Study& study,
                                         const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
