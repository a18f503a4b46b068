// What a trial tells at its start, and what does not vary over steps.
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

// Of the end event, on rank 0: what the rank that took the most of its device held of it by the
// driver's count (workloads/protocol/FORMAT.md). Empty on CPU cores, where no driver tells, and
// where it tells of ranks together. Collective.
std::map<std::string, double> driver_facts(const Options& options,
                                           const Trainer& trainer,
                                           const rank::World& world);

}  // namespace scalestudy::train
