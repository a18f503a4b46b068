// Whether the ways that messages took between GPUs are those that variables ask NCCL for.
#pragma once

#include <optional>
#include <string>

#include "harness/run/nccl/nccl_trace.h"

namespace scalestudy {

// What NCCL made of a variable about transports (NCCL_P2P_DISABLE, NCCL_P2P_LEVEL, NCCL_NET, ...);
// absent for other variables, and if no message took a way that the variable is about.
std::optional<FoundSetting> find_transport(const NcclTrace& trace,
                                           const std::string& variable,
                                           const std::string& asked);

}  // namespace scalestudy
