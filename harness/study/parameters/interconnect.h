// The parameters of links that the harness emulates between ranks of built-in workloads. It acts on
// them itself; no workload sees them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "workloads/parameters/parameters.h"

namespace scalestudy {

inline constexpr const char* kInterconnectBandwidth = "interconnect.bandwidth";  // 0: no links
inline constexpr const char* kInterconnectDelay = "interconnect.delay";

// Both parameters, in the form of the workload's own table.
std::span<const protocol::ParameterInfo> interconnect_parameters();

// The parameter of that name; nullptr for any other name.
const protocol::ParameterInfo* find_interconnect_parameter(std::string_view name);

// Converts a value of a study file to a number in the parameter's unit: "1Gbit" to "1000", the
// bandwidth "none" to "0", the delay "50us" to "0.05". Other text is returned unchanged.
std::string interconnect_number(const protocol::ParameterInfo& parameter, const std::string& text);

}  // namespace scalestudy
