// What a run would be, without running it.
#pragma once

#include <string>

#include "workloads/train/options.h"

namespace scalestudy::train {

// Lines on the model, its buckets and the memory of each rank.
//   texts   as merge() returned them; `devices` ranks, 1 when it is not given.
//   throws  as complete() and make_options().
std::string describe_run(const Texts& texts);

}  // namespace scalestudy::train
