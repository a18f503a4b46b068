// How the ranks of built-in workloads are joined where the harness emulates links between them: two
// parameters that it acts on itself and no workload sees.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "workloads/parameters/parameters.h"

namespace scalestudy {

inline constexpr const char* kInterconnectBandwidth = "interconnect.bandwidth";  // 0: no links
inline constexpr const char* kInterconnectDelay = "interconnect.delay";

// Both, as if they stood in the workload's own table.
std::span<const protocol::ParameterInfo> interconnect_parameters();

// nullptr for any other name.
const protocol::ParameterInfo* find_interconnect_parameter(std::string_view name);

// A value as a study file writes it as the number in the parameter's own unit: "1Gbit" is "1000",
// "none" of the bandwidth "0", "50us" of the delay "0.05". Any other text as it stands.
std::string interconnect_number(const protocol::ParameterInfo& parameter, const std::string& text);

}  // namespace scalestudy
