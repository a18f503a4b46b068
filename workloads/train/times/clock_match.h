// A trace's time line beside another clock: matched at moments, between them by a straight line.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "workloads/device/device.h"

namespace scalestudy::train {

// Nanoseconds from any zero; as whole numbers, since a double has only every 256th of the epoch's.
using ClockNs = std::function<std::uint64_t()>;

struct ClockMatch {
  double trace_s = 0.0;        // since the rank's first step began
  std::uint64_t clock_ns = 0;  // at that moment, give or take
  double error_s = 0.0;        // at most
};

struct MarkedMoment {
  device::Mark mark = 0;
  std::uint64_t clock_ns = 0;
  double error_s = 0.0;
};

inline constexpr std::size_t kMomentMarks = 2;

// Marks a moment of the device and reads the clock before and after: of several tries the one with
// the least between the two readings. Waits for the device.
//   first  of kMomentMarks marks, one of which is returned.
MarkedMoment mark_moment(device::Device& device, device::Mark first, const ClockNs& clock_ns);

// Where the clock's `clock_ns` is on the trace's time line: on the straight line through the first
// and the last of the matches, so that clocks that drift apart are brought together.
//   matches  one or more, in order; by one alone both clocks are taken to run equally fast.
double to_trace_s(std::span<const ClockMatch> matches, std::uint64_t clock_ns);

}  // namespace scalestudy::train
