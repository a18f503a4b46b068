// Formats measured values for tables, sentences and figures: one unit a column, as many digits as
// the uncertainty supports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

// A value and the ends of its interval, in the stored unit; absent if not computed.
struct Measure {
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
};

// Value and interval of a stored row.
template <typename Row>
Measure measure_of(const Row& row) {
  return {row.value, row.lo, row.hi};
}

// printed = stored * factor, in `unit`.
struct Scale {
  std::string unit;
  double factor = 1.0;
};

// The unit to print a column in, given its stored unit and its largest value: seconds become "s",
// "ms" or "µs", bytes/s always GB/s (10^9); other units stay.
Scale scale_for(const std::string& unit, double largest);

// "7.62 ± 0.13": the half-width with two significant digits, the value to the same decimal, but
// with at most four digits: "15.64 ± 0.09". As format_interval() if the middle of the interval is
// more than half a digit from the value: value and half-width would give other ends. Without an
// interval, or with one of no width, the value alone with four digits.
// - unit: printed once: "7.62 ± 0.13 ms", "10 ms [3.0, 33]".
std::string format_half_width(const Measure& measure, double factor, std::string_view unit = {});

// As format_half_width(), but "< 0.001" if the whole interval lies below that: for columns of much
// larger numbers.
std::string format_part(const Measure& measure, double factor);

// How an interval is printed. `levels` are values that its ends are compared with, in the stored
// unit: an end gets enough digits to show on which side of each it lies (interval_decimals()).
struct IntervalStyle {
  double factor = 1.0;
  std::string_view unit = {};  // printed after the value: "x", " %", " s"
  std::vector<double> levels = {};
};

// "1.75x [1.70, 1.80]", rounded as in format_half_width(); for intervals that may be asymmetric. If
// the ends are more than a factor of ten apart, each number gets two digits of its own. Without an
// interval, or with one of no width, the value alone with four digits; "–" if there is no value.
std::string format_interval(const Measure& measure, const IntervalStyle& style = {});

// The value alone, rounded as format_interval() does with its interval; "" if it is absent.
std::string format_value(const Measure& measure, double factor = 1.0);

// The three numbers of format_interval() without unit; `value` is "" if it is absent. Both ends of
// the interval must be there.
struct IntervalTexts {
  std::string value;
  std::string lo;
  std::string hi;
};
IntervalTexts interval_texts(const Measure& measure, const IntervalStyle& style = {});

// As scale_for(), and bytes become "B", "KiB", "MiB", "GiB" or "TiB".
Scale amount_scale(const std::string& unit, double largest);

// As format_interval(), with a unit of readable size: "250 MiB", "5.2 ms [5.0, 5.4]", "72 h".
// - largest: of all values that are printed in one unit, as of a table; absent for this one alone.
std::string format_amount(const Measure& measure,
                          const std::string& unit,
                          const std::vector<double>& levels = {},
                          std::optional<double> largest = {});

// Bytes without an interval: "37.25 GiB".
std::string format_size(double bytes);

// A declared amount in full, in the unit of format_amount(): "12 ms", "1.5 h". Bytes that are round
// in powers of 1000 alone are told as declared, too: "40 GB (37.25 GiB)".
std::string format_declared_amount(double amount,
                                   const std::string& unit,
                                   std::optional<double> largest = {});

// The interval alone, "[1.70, 1.80]"; "" if there is none.
std::string format_bounds(const Measure& measure, const IntervalStyle& style = {});

// A fraction as a percentage, 0.123 with [0.09, 0.16] -> "12.3 % [9.0, 16.0]". `unit` follows the
// value: " %", or "" in a column whose heading says it.
std::string format_share(const Measure& measure,
                         std::string_view unit,
                         const std::vector<double>& levels = {});

// A ratio as a change: "+3.20 %", "-12.0 %"; "12.0x" if are_factors().
std::string format_change(double ratio);

// The ends of a ratio's interval as changes: "from -0.2 % to +3.2 %", "from 0.067x to 100x".
std::string format_change_range(double lo, double hi);

}  // namespace scalestudy
