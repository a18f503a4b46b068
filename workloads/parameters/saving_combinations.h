// Which values go together of parameters about checkpoints and failures.
#pragma once

#include <string>

#include "workloads/parameters/given_values.h"

namespace scalestudy::protocol {

// Of the workload `train`, as check_combination().
std::string check_saving(const GivenValues& given);

}  // namespace scalestudy::protocol
