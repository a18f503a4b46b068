// What a threshold may run along though it is no axis and no parameter of a cell.
#pragma once

namespace scalestudy {

// Time of the computation of a step: of the same ranks without communication (control noop).
inline constexpr const char* kComputationTime = "computation_time_s";

}  // namespace scalestudy
