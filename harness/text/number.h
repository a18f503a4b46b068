// Numbers as text, everywhere: rounding, digits chosen by the uncertainty, independent of the
// locale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalestudy {

constexpr const char* kAbsent = "–";  // what there is no number of

// Decimals that show `value` with that many significant digits: 0.0996 with 2 -> 2, 340 with 2 ->
// -1 (tens). 0 for zero and for what is not finite.
int decimals_of(double value, int digits);

// Decimals that show `half_width` with two significant digits; a value is printed to the same one.
// Absent when the half-width is not a positive finite number.
std::optional<int> decimals_for(double half_width);

// Decimals of a value and the ends of its interval.
struct IntervalDecimals {
  int value = 0;
  int lo = 0;
  int hi = 0;
};

// decimals_for the half-width, for all three. Where the ends are positive and more than a factor of
// ten apart, two significant digits of each by itself, so that the small one does not become 0. An
// end has as many more as show on which side of each of `levels` it lies, so that rounding never
// contradicts a verdict. Absent where decimals_for is.
//   levels  what the ends are read against, e.g. 1 for a ratio: in the unit of the ends.
std::optional<IntervalDecimals> interval_decimals(double value,
                                                  double lo,
                                                  double hi,
                                                  std::span<const double> levels);

// Whether one of these fractions is so far from 1 that a percentage misleads: below -90 % or above
// 1000 %. Such numbers are printed as factors.
bool are_factors(double value, std::optional<double> lo, std::optional<double> hi);

// `value` rounded to that many decimals (negative: tens, hundreds ...), never "-0"; commas from
// 10,000 on.
std::string format_decimals(double value, int decimals);

// Numbers without an interval. Three significant digits for sentences: "0.0123", "1.62", "1230".
std::string format_plain(double value);

// Four significant digits, trailing zeros dropped, for tables: "0.85", "1.7", "128".
std::string format_number(double value);

// A declared number in full, without binary noise: "1.7", "85".
std::string format_declared(double value);

// A declared fraction: "2 %", "0.5 %".
std::string format_percent(double fraction);

// Shortest text that reads back to the same bits; "" when absent. For CSV.
std::string format_exact(const std::optional<double>& value);

// A value that was declared and tested, in full: "16384", "0.25". Such a value is never rounded,
// and reads the same in names, tables, sentences and figures.
std::string format_axis_value(double value);

// A size without loss: "8 B", "64 KiB", "16 MiB", "1000 B".
std::string format_bytes(std::int64_t bytes);

// A p value with two digits: "0.013", "< 0.0001"; "–" when absent.
std::string format_p_value(const std::optional<double>& p_value);

// The same in a sentence: "p = 0.013", "p < 0.0001".
std::string say_p_value(double p_value);

// "1 trial", "8 trials".
std::string format_count(std::int64_t count, std::string_view noun);

}  // namespace scalestudy
