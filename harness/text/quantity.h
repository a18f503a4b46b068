// Numbers with a unit, as a study file writes them: "10min", "2%", "25MB". Never guessed: a bare
// number where a unit is required has no meaning here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scalestudy {

// A parsed number, or what is wrong with the text (then `value` is absent).
struct Quantity {
  std::optional<double> value;
  std::string problem;
};

// Seconds. Units: us, ms, s, min, h, d; one number and one unit, a space between is allowed.
Quantity parse_duration_s(std::string_view text);

// A fraction: "2%" is 0.02.
Quantity parse_percent(std::string_view text);

// Bytes. Units: B, kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024).
Quantity parse_bytes(std::string_view text);

// Bits a second, as network links are sold. Units: kbit, Mbit, Gbit (powers of 1000).
Quantity parse_bit_rate(std::string_view text);

// Bytes of one unit, e.g. 1048576 for "MiB"; absent for an unknown unit.
std::optional<double> bytes_per_unit(std::string_view unit);

// Seconds of one unit, e.g. 0.001 for "ms"; absent for an unknown unit.
std::optional<double> seconds_per_unit(std::string_view unit);

// A finite decimal number without a unit: "1.7", "3e-2".
std::optional<double> parse_number(std::string_view text);

// A decimal integer without leading zeros that fits 64 bits: "4096", "-1".
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace scalestudy
