// Rounding of printed numbers: digits chosen by the uncertainty, independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace scalestudy {

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

// `value` rounded to that many decimals (negative: tens, hundreds ...), never "-0".
std::string format_rounded(double value, int decimals);

// A value that was declared and tested, in full: "16384", "0.25". Such a value is never rounded,
// and reads the same in names, tables, sentences and figures.
std::string format_axis_value(double value);

// A size without loss: "8 B", "64 KiB", "16 MiB", "1000 B".
std::string format_bytes(std::int64_t bytes);

// A p value with two digits: "0.013", "< 0.0001".
std::string format_p_value(double p_value);

}  // namespace scalestudy
