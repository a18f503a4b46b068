// Matches a trace's time line with another clock: at moments, between them by a straight line.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "workloads/device/device.h"

namespace scalestudy::train {

// Reads a clock: nanoseconds from any zero, as whole numbers, because a double resolves only 256 ns
// of the time since 1970.
using ClockNs = std::function<std::uint64_t()>;

struct ClockMatch {
  double trace_s = 0.0;        // since the rank's first step began
  std::uint64_t clock_ns = 0;  // the clock at that moment, within error_s
  double error_s = 0.0;
};

struct MarkedMoment {
  device::Mark mark = 0;
  std::uint64_t clock_ns = 0;
  double error_s = 0.0;
};

inline constexpr std::size_t kMomentMarks = 2;

// Marks a moment of the device and reads the clock before and after. Of several tries the one with
// the least time between the two readings counts. Waits for the device.
//   first  of kMomentMarks marks, one of which is returned.
MarkedMoment mark_moment(device::Device& device, device::Mark first, const ClockNs& clock_ns);

// The place of the clock's `clock_ns` on the trace's time line, by the straight line through the
// first and the last match, which corrects drift between the clocks.
// - matches: one or more, in order; with one both clocks are taken to run equally fast.
double to_trace_s(std::span<const ClockMatch> matches, std::uint64_t clock_ns);

}  // namespace scalestudy::train
