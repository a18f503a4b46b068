// Rules that the writer and the reader of the protocol both apply.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalestudy::protocol {

inline constexpr std::size_t kMaxNameBytes = 128;
inline constexpr std::size_t kMaxUnitBytes = 32;

// A metric, fact, parameter, library or check: [A-Za-z][A-Za-z0-9_.]*, at most kMaxNameBytes.
bool is_name(std::string_view text);

// Printable ASCII without quotes or backslashes, at most kMaxUnitBytes; empty for none.
bool is_unit(std::string_view text);

// A metric named ..._time_s: its values are in "s" and in nothing else.
bool is_time_metric(std::string_view metric);

// Shortest decimal text that reads back to the same bits; `value` is finite. A whole number keeps
// no
// ".0", except -0.0, which would otherwise read back as the integer 0.
std::string format_double(double value);

}  // namespace scalestudy::protocol
