// The facts that a trial reports at its start and at its end, which do not vary over steps.
#pragma once

#include <map>
#include <string>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"
#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// The facts of the start event (workloads/protocol/FORMAT.md), on rank 0. Collective: every rank
// calls.
//   options  of the run, not of for_rank().
std::map<std::string, double> start_facts(const Options& options,
                                          const Trainer& trainer,
                                          const rank::World& world);

// On rank 0, if a device's memory is known (device_memory_bytes() of available_memory.h): the
// largest model that fits it with the run's own parameters, calculated, as largest_layers (0: not
// even one) and largest_parameter_count. Else empty, as with compute declared, which takes no
// memory for layers.
//   texts  of the run, as merge() returned them.
std::map<std::string, double> largest_model_facts(const Texts& texts,
                                                  const Options& options,
                                                  const rank::World& world);

// The facts of the end event, on rank 0: the memory that the rank which took the most of its device
// held of it by the driver's count (workloads/protocol/FORMAT.md). Empty on CPU cores, if no driver
// tells, and if it counts ranks together. Collective.
std::map<std::string, double> driver_facts(const Options& options,
                                           const Trainer& trainer,
                                           const rank::World& world);

}  // namespace scalestudy::train
