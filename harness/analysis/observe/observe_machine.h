// The part of observe() that reads what the machine did: trials that it disturbed, how steady it
// was.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Whether the attempt ran another command than the study has now, or its output was read by other
// rules.
bool is_of_earlier_command(const TrialRow& trial, const StudyObservation& observation);

// Fills CellObservation::as_met, once trials that are excluded by hand are known.
// - times: step times by trial id.
void place_as_met(const std::vector<TrialRow>& trials,
                  const std::map<std::int64_t, StepTime>& times,
                  StudyObservation& observation);

// Fills StudyObservation::calibrations.
// - trials: in the order in which they ran
// - telemetry: by trial id
void read_calibrations(const std::vector<SessionRow>& sessions,
                       const Study& study,
                       const std::vector<TrialRow>& trials,
                       const std::map<std::int64_t, std::vector<TelemetryRow>>& telemetry,
                       StudyObservation& observation);

// Whether a fact of the workload is kept as a metric: the size of the model, what it needs, and
// what explains the communication metrics.
bool is_measure(const std::string& name);

// The TrialMetric of a metric with a single value per trial.
TrialMetric single_value(double value);

// The metric of what the network links of a node could carry.
inline constexpr const char* kNetworkRate = "network_bytes_per_s";

// Metrics that extract rules or series of trials give, if only in some trials or in mixed units:
// what is recorded by such a name is another quantity, and no value of the trials that lack theirs.
std::set<std::string> given_metrics(const Study& study, const StudyObservation& observation);

// Adds the trial's use of the machine to its metrics, with units, as far as it was recorded. The
// formulas are those of the view `usage`.
// - power_w, energy_per_step_j, energy_per_sample_j: by the energy counters during its measured
//   time, over all packages and GPUs that have one; the step is a step time.
// - gpu_busy_share: mean over the GPUs in which kernels ran, of the share of the trial's time in
//   which some did, launch included.
// - memory_share: the largest share of a GPU's memory; link_share: that of a link's capacity.
// - kNetworkRate: what the links that it used could carry in each direction, of one node; not
//   in the view.
// - declared_link_share: what a rank has to send at least (traffic_bytes), over what its emulated
//   link could carry in the time of a step; not in the view.
// - cpu_cores: CPU time of its processes over its wall time, launch included.
// - system_share, loading_share, preprocessing_share: shares of that CPU time.
// - given: metrics that are not added (given_metrics()).
void take_usage(const std::vector<TelemetryRow>& told,
                const CellRow& cell,
                const std::set<std::string>& given,
                TrialObservation& trial,
                StudyObservation& observation);

}  // namespace scalestudy
