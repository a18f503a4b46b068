// What analysis keeps of a stored study: one summary per trial and metric.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/observe/observed_changes.h"
#include "harness/analysis/observe/step_flags.h"
#include "harness/analysis/observe/trial_observation.h"
#include "harness/store/rows/imported.h"
#include "harness/store/rows/put_aside.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"
#include "workloads/names/names.h"

namespace scalestudy {

// Trials that count with a later launch, because an earlier one ended in a way that may depend on
// what was measured: it failed by its own exit code, ran into a limit, or gave no valid value.
// Which launch counts is then chosen by how launches end.
struct ChosenTrials {
  std::int64_t trials = 0;    // of those that count
  std::int64_t failures = 0;  // launches that they took the place of
  std::int64_t launches = 0;  // most launches of one of them
};

struct CellObservation {
  CellRow row;                           // oversubscribed if one of its trials was
  std::vector<TrialObservation> trials;  // those that count: ok, last attempt; by block
  std::int64_t planned = 0;              // trials of the plan without excluded and skipped ones
  std::int64_t lost = 0;                 // of these: failed, timeout or oom, with no attempt left
  std::int64_t out_of_memory = 0;        // of these: oom
  std::int64_t given_up = 0;             // skipped after failures, its own or a smaller batch's
  std::int64_t waiting = 0;              // planned trials that are still to be run
  std::int64_t pruned = 0;               // trials that ran and were removed
  std::int64_t unsupported = 0;          // trials that the program cannot run on this machine
  bool has_software_type = false;        // sent a 16-bit type that it converted in software
  std::optional<double> total_bytes;     // size of a collective's operation, as its program says
  std::optional<double> busbw_factor;    // bus bandwidth / algorithm bandwidth of a collective
  // Attempts by state (failed, timeout, oom, invalid), without those of an earlier command. If
  // the output of one was read again, only the last reading counts.
  std::map<std::string, std::int64_t> failures;
  std::map<std::string, std::int64_t> retried;  // failures that a later attempt made good
  ChosenTrials chosen;
  // Reasons of exclusions by hand, by trial id, of trials that would count otherwise.
  std::map<std::int64_t, std::string> excluded;
  // The trials as they first ran, disturbed ones included, for the variant with_disturbed: by
  // block, step times alone. Empty if nothing disturbed any of them.
  std::vector<TrialObservation> as_met;
  // p value: how often normal trials would hold ones as slow as these; adjusted by adjust_slow_p().
  std::optional<double> slow_p;
  std::optional<StepPeriod> period = {};  // absent if its steps have none (find_periods)
};

// Looks at results before the planned end.
struct Looking {
  std::vector<std::int64_t> looks;  // trials that had ended at each report, ascending
  std::vector<int> counts;          // values of trials.count: of sessions, if it changed, and now
};

struct StudyObservation {
  StudyRow study;
  std::vector<CellObservation> cells;            // in the store's order, excluded cells left out
  std::map<std::string, std::string> units;      // by metric
  std::optional<double> cores;                   // fewest cores of any session's machine
  std::map<std::int64_t, double> steal;          // stolen time in cores, by trial id, if recorded
  std::vector<CalibrationTime> calibrations;     // in order of time
  std::map<std::int64_t, double> session_cores;  // of the machine, by session that says them
  std::set<std::int64_t> throttled;  // ids of trials whose CPUs or GPUs heat or power slowed
  // By session: how its trials differ from what the study says now (find_trial_change).
  std::map<std::int64_t, std::optional<std::vector<std::string>>> trial_changes;
  std::set<std::int64_t> read_again;              // ids of attempts (find_read_again)
  std::optional<AnalysisChange> analysis_change;  // absent: declared before the first trial
  Looking looking;
  std::vector<Addition> additions;    // additions to the plan by earlier runs
  std::set<std::string> mixed_units;  // metrics that came in several units, left out everywhere
  SessionEnding last_ending = SessionEnding::kNone;  // of the last session
  std::optional<Imported> imported;                  // absent: the harness ran the trials

  // The cell with that hash, or with that id in the store; nullptr if there is none.
  [[nodiscard]] const CellObservation* find_cell(const std::optional<std::string>& hash) const;
  [[nodiscard]] const CellObservation* find_cell(std::int64_t id) const;
};

using names::kCommunication, names::kExposed, names::kHidden, names::kStepTime, names::kUtilization,
    names::kWindowTime;

// The member of TrialMetric that is a trial's value of a metric that the study asks for.
double TrialMetric::*statistic_of(const MetricRequest& request);

// The means of one metric in order of block, over trials that have it; and these trials' ids.
std::vector<double> trial_means(const CellObservation& cell, const std::string& metric);
TrialIds trials_with(const CellObservation& cell, const std::string& metric);

// Whether the study's results are emulated: its ranks sleep instead of computing
// (parameter_rules.h), or the program of a trial that counts, a `command` included, says so by the
// fact `emulated`.
bool is_emulated(const StudyObservation& observation, const Study& study);

// How the cell's step time is defined; absent if it has none.
std::optional<StepTimeDefinition> definition_of(const CellObservation& cell);

// Attempts at the cell's trials that ended failed, timeout, oom or invalid, including those that a
// later attempt made good.
std::int64_t failed_count(const CellObservation& cell);

// Whether a search for the largest batch only probed the cell: some launch did not fit, or it has
// fewer trials than the study asks for. It has no place among results then.
bool is_probe(const CellObservation& cell, const Study& study);

// Whether the steps that the study's rules found in a command's output add up to more than the
// trial took, as in another unit.
bool has_impossible_times(const TrialObservation& trial, const Study& study);

// Whether more than a tenth of the attempts failed, so that the rest may be the easy ones.
bool has_survivors_only(const CellObservation& cell);

}  // namespace scalestudy
