// Formats numbers, independently of the locale: rounding, and digits chosen by the uncertainty.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

constexpr const char* kAbsent = "–";  // printed in place of a number that is absent

// How many decimals show `value` with so many significant digits: 0.0996 with 2 -> 2, 340 with 2 ->
// -1 (tens). 0 if the value is zero or not finite.
int decimals_of(double value, int digits);

// How many decimals show `half_width` with two significant digits; its value is printed with as
// many. Absent if the half-width is not a positive finite number.
std::optional<int> decimals_for(double half_width);

// As decimals_for(half_width), but fewer where `value` would get more than four significant digits;
// the half-width keeps one.
std::optional<int> decimals_for(double half_width, double value);

// How many decimals a value and the ends of its interval get.
struct IntervalDecimals {
  int value = 0;
  int lo = 0;
  int hi = 0;
};

// decimals_for() the half-width, for all three numbers. If the ends are positive and more than a
// factor of ten apart, each number gets two significant digits of its own, so that the small end
// does not become 0. An end gets more decimals if it takes them to show on which side of a level it
// lies, so that rounding never contradicts a verdict. Absent if decimals_for() is.
// - levels: values that the ends are compared with, in their unit; 1 for a ratio.
std::optional<IntervalDecimals> interval_decimals(double value,
                                                  double lo,
                                                  double hi,
                                                  std::span<const double> levels);

// Whether a value or an end of its interval is such a large change (below -90 % or above 1000 %)
// that a percentage misleads and factors are printed instead.
bool are_factors(double value, std::optional<double> lo, std::optional<double> hi);

// `value` rounded to so many decimals (negative: tens, hundreds ...), never "-0"; with commas from
// 10,000 on.
std::string format_decimals(double value, int decimals);

// A number without an interval, for sentences: three significant digits, "0.0123", "1.62", "1230".
std::string format_plain(double value);

// A number without an interval, for tables: four significant digits without trailing zeros, "0.85",
// "1.7", "128".
std::string format_number(double value);

// A declared number in full, without binary noise: "1.7", "85".
std::string format_declared(double value);

// A declared fraction as a percentage: "2 %", "0.5 %".
std::string format_percent(double fraction);

// The least and the largest of such fractions, with four digits: "98.11 to 98.46 %", "95 %" if they
// are alike; "" without any.
std::string format_levels(const std::vector<double>& fractions);

// The shortest text that reads back to the same bits, for CSV; "" if the value is absent.
std::string format_exact(const std::optional<double>& value);

// A tested value of an axis in full: "16384", "0.25". It is never rounded, and reads the same in
// names, tables, sentences and figures.
std::string format_axis_value(double value);

// An exact size: "8 B", "64 KiB", "16 MiB", "1000 B".
std::string format_bytes(std::int64_t bytes);

// A p value with two digits: "0.013", "< 0.0001"; "–" if it is absent.
std::string format_p_value(const std::optional<double>& p_value);

// A p value in a sentence: "p = 0.013", "p < 0.0001".
std::string say_p_value(double p_value);

// "1 trial", "8 trials".
std::string format_count(std::int64_t count, std::string_view noun);

// "both trials", "all 8 trials"; of one "the one trial".
std::string format_all(std::int64_t count, std::string_view noun);

// Ascending ids: "1-3,7", as `compare STUDY@IDS` and Slurm's --array take them.
std::string format_ranges(const std::vector<std::int64_t>& ids);

}  // namespace scalestudy
