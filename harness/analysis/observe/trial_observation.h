// What analysis keeps of a stored trial: a summary of each metric, and what it tells of itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "harness/analysis/observe/step_flags.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

// One metric of one trial over its measured steps, in the metric's unit. All are NaN if a value is
// no possible step time (stored before runs refused it) or is not is_computable(); every result
// from it is then invalid_input.
struct TrialMetric {
  std::int64_t steps = 0;  // >= 1
  double mean = 0.0;
  double p50 = 0.0;  // quantiles of type 7, even if the steps are too few to show them
  double p95 = 0.0;
  double p99 = 0.0;
  double last = 0.0;  // value at the last step
};

// How long a trial trained until it reached a value, or, if it never did, until it ended.
struct TimeTo {
  double time_s = 0.0;
  bool is_reached = false;
};

using Software = std::map<std::string, std::string>;  // facts by name: kernel, file.NAME ...
struct TrialObservation {
  TrialRow row;
  // The mean of kStepTime is the step time (StepTime); its quantiles are those of the step times of
  // all ranks. The parts of a step, which add up to it, are the slowest rank's if that is known.
  std::map<std::string, TrialMetric> metrics;
  std::optional<StepTimeDefinition> definition;  // of the step time; absent if it has none
  // Settings by name: 1 if applied, 0 if overridden, -1 if the library does not know the variable.
  std::map<std::string, double> settings = {};
  std::shared_ptr<const Software> software;     // facts of its session; null if none are recorded
  std::map<std::string, TimeTo> times_to = {};  // by time_to_metric()
  std::set<std::string> comma_metrics = {};     // of which all values are printed like "12,345"
  std::set<std::string> edited_programs = {};   // since its session began
  StepFlags steps;
  double covered_steps = 1.0;            // by each of its step times, as covered_steps() says
  std::optional<double> cores_per_rank;  // Store::cores_per_rank
  bool has_failed_cleanup = false;       // the cleanup command after it failed
  bool has_ended_setup = false;          // processes that its setup left running were ended
  bool has_unread_output = false;        // lines that were too long for rules, or UTF-16
  bool has_error_lines = false;          // its output tells of an error, and it is ok
  bool has_repeated_lines = false;       // that look as if they show a step again
  bool has_fewer_values = false;         // a metric than steps, though it is printed with each
  bool is_resumed = false;               // the number of its steps goes back
  bool is_emulated = false;              // its program says that ranks slept instead of computing
  bool is_steady = true;        // false: its warm-up ended before its step times had settled
  bool flagged = false;         // the study's outlier rule marks it among its cell's trials
  std::optional<double> score;  // by the outlier rule; absent if there are too few trials
};

}  // namespace scalestudy
