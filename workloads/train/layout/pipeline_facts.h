// What the start event of a trial says about its pipeline.
#pragma once

#include <map>
#include <string>

#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Facts of a start event (workloads/protocol/FORMAT.md), by name: `wire_bytes` of all stages,
// `traffic_bytes` of the stage that sends the most, `pipeline_bubble_ideal`, and the layers,
// parameters and FLOP of each stage.
// - options: with a pipeline.
std::map<std::string, double> pipeline_facts(const Options& options);

}  // namespace scalestudy::train
