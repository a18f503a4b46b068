// What a run would be, without running it.
#pragma once

#include <map>
#include <string>

#include "workloads/train/options/options.h"

namespace scalestudy::train {

// `devices`; 1 where that is not given, and as near as may be where it cannot be: complete()
// refuses it.
int rank_count(const Texts& texts);

// Lines on the model, its buckets and the memory of each rank; with device_memory_gb, and on a
// machine with a GPU for backend cuda, on the largest models that fit.
//   texts   as merge() returned them; `devices` ranks, 1 when it is not given.
//   throws  as complete() and make_options().
std::string describe_run(const Texts& texts);

// The same as facts of a start event: parameter_count, memory_bytes of a rank, and on CPU cores the
// available_memory_bytes of this machine, where it says. On GPUs that is
// available_host_memory_bytes, of which a rank takes host_memory_bytes, and without
// device_memory_gb gpu_memory_bytes are a GPU's of this machine, if it has one. With
// device_memory_gb device_memory_bytes, and of the models that fit largest_layers.<name> and
// largest_host_bytes.<name> (LargestModel).
std::map<std::string, double> describe_facts(const Texts& texts);

}  // namespace scalestudy::train
