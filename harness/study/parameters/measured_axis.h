// What a threshold may run along though it is no axis and no parameter of a cell, and how many
// tested values it takes to say more than a bracket.
#pragma once

#include <cstddef>

namespace scalestudy {

// Time of the computation of a step: of the same ranks without communication (control noop).
inline constexpr const char* kComputationTime = "computation_time_s";

// Tested values of a curve; fewer give a bracket. That of stats, which a report does not see.
inline constexpr std::size_t kLeastForCurve = 5;

}  // namespace scalestudy
