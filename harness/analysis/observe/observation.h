// What analysis keeps of a stored study: one summary per trial and metric.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/store/rows/put_aside.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// One metric of one trial over its measured steps, in the metric's unit. All NaN where a step time
// is none (stored before runs refused it) or a value lets no statistics be made (is_computable), so
// that whatever meets it is invalid_input.
struct TrialMetric {
  std::int64_t steps = 0;  // >= 1
  double mean = 0.0;
  double p50 = 0.0;  // quantiles of type 7, whether or not so few steps can show them
  double p95 = 0.0;
  double p99 = 0.0;
  double last = 0.0;  // value at the last step
};

// Steps that the study's outlier rule marks in one trial, and how its step time moves.
struct StepFlags {
  std::int64_t flagged = 0;
  double flagged_share = 0.0;  // of the measured steps' time
  // Of the slowest rank where it is known, else of the step times over ranks:
  std::optional<double> slope;  // of the step time per 100 steps, relative to the trial's mean
  // Of kBatchSteps steps each, in s; a rest of fewer is left out.
  std::vector<double> batch_means = {};
};

using Software = std::map<std::string, std::string>;  // facts by name: kernel, file.NAME ...
struct TrialObservation {
  TrialRow row;
  // The mean of kStepTime is the time of a step (StepTime); its quantiles are those of the step
  // times over ranks. The parts of a step are those of the slowest rank where it is known, so that
  // they add up to it.
  std::map<std::string, TrialMetric> metrics;
  std::optional<StepTimeDefinition> definition;  // of the step time; absent without one
  // Variables that were to set a library up: 1 applied, 0 overridden, -1 not seen by its program.
  std::map<std::string, double> settings = {};
  std::shared_ptr<const Software> software;  // of its session; absent: none is told
  StepFlags steps;
  std::optional<double> cores_per_rank;  // Store::cores_per_rank
  bool has_failed_cleanup = false;       // the command behind it did not end well
  bool is_emulated = false;     // its program says that ranks slept where they would compute
  bool is_steady = true;        // false: its warm-up ended before its step times had settled
  bool flagged = false;         // by the study's outlier rule, among the trials of its cell
  std::optional<double> score;  // absent: too few trials to classify
};

struct CellObservation {
  CellRow row;                           // oversubscribed when one of its trials was
  std::vector<TrialObservation> trials;  // those that count: ok, last attempt; by block
  std::int64_t planned = 0;              // trials of the plan, less excluded, skipped
  std::int64_t waiting = 0;              // of these, still to be run
  bool has_software_type = false;        // sent a type of 16 bits that it converted in software
  std::optional<double> total_bytes;     // of a collective's operation, as its program says
  std::optional<double> busbw_factor;    // its bus bandwidth over its algorithm bandwidth
  // Attempts by failed, timeout, oom, invalid; not those of an earlier command.
  std::map<std::string, std::int64_t> failures;
  std::map<std::string, std::int64_t> retried;   // of these, made good by a later attempt
  std::map<std::int64_t, std::string> excluded;  // by hand: why, by trial; no failures
  // The trials as they first ran, disturbed ones included: for the estimate with_disturbed; by
  // block, step times alone. Empty where nothing disturbed any of them.
  std::vector<TrialObservation> as_met;
  // That trials as clean as a normal sample hold such slow ones; by observe() adjusted over cells.
  std::optional<double> slow_p;
};

// The analysis section of the study is not the one that the first trials were run under.
struct AnalysisChange {
  std::vector<std::string> differences;  // "analysis.margin: 0.02 -> 0.05", first to now
  std::int64_t attempts_before = 0;      // that had run when it became what it is now
  std::int64_t attempts = 0;             // that have run in all
};

// What the product timed before and after blocks took, in order of time.
struct CalibrationTime {
  std::int64_t session = 0;
  std::string host;
  std::int64_t group = 0;  // the block; with order batch the cell
  double time_s = 0.0;     // > 0
};

// What is known of looks at results before the planned end.
struct Looking {
  std::vector<std::int64_t> looks;  // trials that had ended at each report, ascending
  std::vector<int> counts;          // trials.count as sessions ran it, where it changed, and now
};

struct StudyObservation {
  StudyRow study;
  std::vector<CellObservation> cells;        // in the store's order, excluded cells left out
  std::map<std::string, std::string> units;  // by metric
  std::optional<double> cores;               // fewest of the sessions' machines
  std::map<std::int64_t, double> steal;      // cores' worth by trial id, where it was recorded
  std::vector<CalibrationTime> calibrations;
  std::set<std::int64_t> throttled;  // ids of trials whose CPUs or GPUs heat or power slowed
  // What each session's trials did otherwise than the study says now (find_trial_change).
  std::map<std::int64_t, std::optional<std::vector<std::string>>> trial_changes;
  std::set<std::int64_t> read_again;              // ids of attempts, by the extract rules of now
  std::optional<AnalysisChange> analysis_change;  // absent: declared before the first trial
  Looking looking;
  std::vector<Addition> additions;    // to the plan, by earlier runs
  std::set<std::string> mixed_units;  // metrics that came in several units: left out everywhere
  SessionEnding last_ending = SessionEnding::kNone;  // of the last session

  // The cell of that hash, nullptr when the store has none.
  [[nodiscard]] const CellObservation* find_cell(const std::optional<std::string>& hash) const;
};

inline constexpr const char* kStepTime = "step_time_s";
inline constexpr const char* kWindowTime = "window_time_s";
inline constexpr const char* kExposed = "exposed_communication_time_s";
inline constexpr const char* kHidden = "hidden_communication_time_s";
inline constexpr const char* kCommunication = "communication_time_s";
inline constexpr const char* kUtilization = "model_flop_utilization";

// The number that a trial counts for, of a metric that the study asks for.
double TrialMetric::*statistic_of(const MetricRequest& request);

// Trial means of one metric in order of block, of the trials that have it; their ids, ascending.
std::vector<double> trial_means(const CellObservation& cell, const std::string& metric);
TrialIds trials_with(const CellObservation& cell, const std::string& metric);

// Whether what follows from the study is emulated: its ranks sleep in place of computing
// (parameter_rules.h), or the program of a trial that counts says so (fact `emulated`), also where
// a `command` runs it.
bool is_emulated(const StudyObservation& observation, const Study& study);

// What the cell's step time is; absent without any.
std::optional<StepTimeDefinition> definition_of(const CellObservation& cell);

// Attempts at the cell's trials that ended failed, timeout, oom or invalid, also those that a later
// attempt made good.
std::int64_t failed_count(const CellObservation& cell);

// More than a tenth of the attempts failed: what is left may be the easy ones.
bool has_survivors_only(const CellObservation& cell);

}  // namespace scalestudy
