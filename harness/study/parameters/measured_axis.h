// A measured quantity that a threshold may run along like an axis, and how many tested values a
// curve needs.
#pragma once

#include <cstddef>

namespace scalestudy {

// The computation time of a step: its time on the same ranks without communication (control noop).
inline constexpr const char* kComputationTime = "computation_time_s";

// Fewest tested values of a curve; fewer give only a bracket. Repeats the number of stats, which
// reports do not see.
inline constexpr std::size_t kLeastForCurve = 5;

}  // namespace scalestudy
