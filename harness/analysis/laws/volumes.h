// What a step should send and take by first principles, beside what was measured.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Of measured cells of several devices of a train study, in the store's order. Rows that lack a
// side are left out.
//   traffic_bytes  what each rank sends in a step: rounds (N - 1)/N of the parameters in the type
//                  they travel in; measured: what the workload says it sends, padding included
//   traffic_bytes_per_epoch  the same times the steps of an epoch, where cost.train says samples
//   communication_time_s  K(N) from measured or declared costs (analysis.communication)
//   step_time_s  the computation (control noop) and K(N) after it; epoch_time_s  of an epoch
std::vector<VolumeRow> compare_volumes(const StudyObservation& observation,
                                       const Study& study,
                                       const Communication& communication);

}  // namespace scalestudy
