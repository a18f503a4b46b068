// The parameters of the workload `collective`; parameters.h finds them by name.
#pragma once

#include <span>

#include "workloads/protocol/parameters.h"

namespace scalestudy::protocol {

std::span<const ParameterInfo> collective_parameters();

}  // namespace scalestudy::protocol
