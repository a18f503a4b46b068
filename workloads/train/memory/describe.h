// Describes a run without running it.
#pragma once

#include <map>
#include <string>

#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The number of ranks, `devices`; 1 if that is not given, the nearest possible number if it is
// impossible: complete() then refuses it.
int rank_count(const Texts& texts);

// Lines on the model, its buckets and the memory of each rank; with device_memory_gb, and on a
// machine with a GPU for backend cuda, on the largest models that fit.
//   texts   as merge() returned them, for rank_count() ranks.
//   throws  as complete() and make_options().
std::string describe_run(const Texts& texts);

// The description as facts of a start event:
// - parameter_count, and memory_bytes of a rank.
// - on CPU cores: available_memory_bytes of this machine, if it tells.
// - on GPUs: available_host_memory_bytes, of which a rank takes host_memory_bytes; without
//   device_memory_gb also gpu_memory_bytes of a GPU of this machine, if it has one.
// - with device_memory_gb: device_memory_bytes, and for the models that fit largest_layers.<name>
//   and largest_host_bytes.<name> (LargestModel).
std::map<std::string, double> describe_facts(const Texts& texts);

}  // namespace scalestudy::train
