// Checks which values of parameters about checkpoints and failures go together.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/parameters/given_values.h"

namespace scalestudy::protocol {

// For the workload `train`; returns what check_combination() does.
std::string check_saving(const GivenValues& given);

// Steps of a run of `train`, warm-up included, without those that floors in time add.
std::int64_t step_count(const GivenValues& given);

}  // namespace scalestudy::protocol
