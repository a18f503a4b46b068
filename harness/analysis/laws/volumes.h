// What a step should send, and how long it should take, by first principles, beside measured
// values.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes rows for measured cells of several devices of a train study, in the store's order. Rows
// that lack the calculated or the measured value are left out.
// - traffic_bytes: what each rank sends in a step, rounds (N - 1)/N of the parameters in the type
//   they are sent in; measured: what the workload reports, padding included.
// - traffic_bytes_per_epoch: traffic_bytes times the steps of an epoch, if cost.train says samples.
// - communication_time_s: K(N) from measured or declared costs (analysis.communication).
// - step_time_s: computation (control noop) followed by K(N); epoch_time_s: that of an epoch.
std::vector<VolumeRow> compare_volumes(const StudyObservation& observation,
                                       const Study& study,
                                       const Communication& communication);

}  // namespace scalestudy
