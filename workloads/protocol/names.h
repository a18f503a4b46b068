// Rules that the writer and the reader of the protocol both apply.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workloads/protocol/events.h"

namespace scalestudy::protocol {

inline constexpr std::size_t kMaxNameBytes = 128;
inline constexpr std::size_t kMaxUnitBytes = 32;

// A workload, metric, fact, parameter, library or check: [A-Za-z][A-Za-z0-9_.-]*, at most
// kMaxNameBytes.
bool is_name(std::string_view text);

// Printable ASCII without quotes or backslashes, at most kMaxUnitBytes; empty for none.
bool is_unit(std::string_view text);

// A metric named ..._time_s: its values are in "s" and in nothing else.
bool is_time_metric(std::string_view metric);

// The time of the measured phase: one value over all ranks, no warm-up, finite and above 0. Says
// what `samples` of it do against that; empty when nothing, and for other metrics.
inline constexpr std::string_view kWindowTime = "window_time_s";
std::string find_window_problem(const Samples& samples);

// Shortest decimal text that reads back to the same bits; `value` is finite. A whole number keeps
// no
// ".0", except -0.0, which would otherwise read back as the integer 0.
std::string format_double(double value);

}  // namespace scalestudy::protocol
