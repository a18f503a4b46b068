// Rules that the writer and the reader of the protocol both apply.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workloads/protocol/events.h"

namespace scalestudy::protocol {

inline constexpr std::size_t kMaxNameBytes = 128;
inline constexpr std::size_t kMaxUnitBytes = 32;

// Whether this can name a workload, metric, fact, parameter, library or check:
// [A-Za-z][A-Za-z0-9_.-]*, at most kMaxNameBytes.
bool is_name(std::string_view text);

// Whether this can be a unit: printable ASCII without quotes or backslashes, at most kMaxUnitBytes;
// empty for none.
bool is_unit(std::string_view text);

// Whether a metric is named ..._time_s: its values must be in "s".
bool is_time_metric(std::string_view metric);

// The time of the measured phase, names::kWindowTime, is one value over all ranks, without a
// warm-up, finite and above 0. How `samples` break that rule; empty if they do not, and for other
// metrics.
std::string find_window_problem(const Samples& samples);

// Shortest decimal text that reads back to the same bits; `value` is finite. A whole number has no
// ".0", except -0.0, which would otherwise read back as the integer 0.
std::string format_double(double value);

}  // namespace scalestudy::protocol
