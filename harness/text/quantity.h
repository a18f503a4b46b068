// Reads numbers with a unit, as study files have them: "10min", "2%", "25MB". A unit is never
// guessed: a bare number where one is required is a problem.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace scalestudy {

inline constexpr double kSecondsAnHour = 3600.0;

// A number in base units or, if `value` is absent, what is wrong with the text.
struct Quantity {
  std::optional<double> value;
  std::string problem;
};

// A time in seconds: one number and one of us (or µs), ms, s, min, h, d, with or without a space
// between.
Quantity parse_duration_s(std::string_view text);

// A percentage as a fraction: "2%" is 0.02.
Quantity parse_percent(std::string_view text);

// A size in bytes, in B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024).
Quantity parse_bytes(std::string_view text);

// A rate in bits per second, as network links are sold, in kbit, Mbit, Gbit (powers of 1000).
Quantity parse_bit_rate(std::string_view text);

// How many bytes a unit has, e.g. 1048576 for "MiB"; absent for an unknown unit.
std::optional<double> bytes_per_unit(std::string_view unit);

// How many seconds a unit has, e.g. 0.001 for "ms"; absent for an unknown unit.
std::optional<double> seconds_per_unit(std::string_view unit);

// The number that the whole text is, as std::from_chars reads it; absent for any other text.
template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

// A finite decimal number without a unit: "1.7", "3e-2". Absent for any other text.
std::optional<double> parse_number(std::string_view text);

// `number` as an integer; absent if it is not whole, or beyond 2^53, where doubles skip integers.
std::optional<std::int64_t> whole_number(double number);

// A decimal integer without leading zeros that fits into 64 bits: "4096", "-1". Absent for other
// texts.
std::optional<std::int64_t> parse_integer(std::string_view text);

// Whether the text is a number that would lose a digit which a version needs: 3.10, not 1.0 or
// 0.50.
bool may_be_version(std::string_view text);

// Whether a text that may be a version is one beside `other`: 3.10 beside 3.9, which has fewer
// digits, and beside 3.11 to 3.14, but not 1.50 beside 1.25.
bool is_version_beside(std::string_view text, std::string_view other);

}  // namespace scalestudy
