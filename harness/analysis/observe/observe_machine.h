// What observe() reads of the machine: trials that it disturbed, and how steady it was.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Whether another command than the study's now ran the attempt, or its output was read otherwise.
bool is_of_earlier_command(const TrialRow& trial, const StudyObservation& observation);

// Fills CellObservation::as_met, once trials that are excluded by hand are known.
//   times  of a step, by trial.
void place_as_met(const std::vector<TrialRow>& trials,
                  const std::map<std::int64_t, StepTime>& times,
                  StudyObservation& observation);

// Fills StudyObservation::calibrations.
//   trials  in the order they ran.
void read_calibrations(const Store& store,
                       const Study& study,
                       const std::vector<TrialRow>& trials,
                       StudyObservation& observation);

// Facts of the workload that results are read with: how large the model is, what it takes, and what
// communication metrics say little without.
bool is_measure(const std::string& name);

// Of one value a trial.
TrialMetric single_value(double value);

// Adds what the trial used of the machine to its metrics, with their units, where it was told:
//   power_w, energy_per_step_j, energy_per_sample_j  by the counters of the time it measured, over
//                     all packages and GPUs that tell it; the step is the time of a step
//   memory_share      of a GPU's memory, the largest; link_share likewise, of links' capacity
//   cpu_cores         CPU time of its processes over its wall time, launch included
//   system_share, loading_share, preprocessing_share  of that CPU time
// The formulas are those of the view `usage`.
void take_usage(const std::vector<TelemetryRow>& told,
                const CellRow& cell,
                TrialObservation& trial,
                StudyObservation& observation);

}  // namespace scalestudy
