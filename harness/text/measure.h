// Measured values as tables, sentences and figures print them: one unit a column, digits chosen by
// the uncertainty.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

// A value and its interval in the stored unit; what is absent was not computed.
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

// The unit a column of `unit` is printed in, by the largest of its values: seconds become "s", "ms"
// or "µs", bytes/s always GB/s (10^9); other units stay.
Scale scale_for(const std::string& unit, double largest);

// "7.62 ± 0.13": half-width to two significant digits and the value to the same decimal, or as
// format_interval where the ends are unequally far. Without an interval: the value, four digits.
std::string format_half_width(const Measure& measure, double factor);

// As format_half_width, but "< 0.001" for what lies wholly below that in a column of larger
// numbers.
std::string format_part(const Measure& measure, double factor);

// What is printed of an interval. `levels` are what its ends are read against, in the stored unit:
// an end shows its side of each (interval_decimals).
struct IntervalStyle {
  double factor = 1.0;
  std::string_view unit = "";  // follows the value: "x", " %", " s"
  std::vector<double> levels = {};
};

// "1.75x [1.70, 1.80]", rounded as format_half_width does; for intervals that need not be
// symmetric. Each number with two digits of its own where the ends are more than a factor of ten
// apart. Without an interval, or with one of no width, the value alone, with four digits; "–"
// without a value.
std::string format_interval(const Measure& measure, const IntervalStyle& style = {});

// The three numbers of format_interval by themselves, without unit; value "" when absent. The
// interval must be there.
struct IntervalTexts {
  std::string value;
  std::string lo;
  std::string hi;
};
IntervalTexts interval_texts(const Measure& measure, const IntervalStyle& style = {});

// "[1.70, 1.80]" alone, "" when there is none.
std::string format_bounds(const Measure& measure, const IntervalStyle& style = {});

// A fraction as a percentage, 0.123 with [0.09, 0.16] -> "12.3 % [9.0, 16.0]"; as a factor where
// are_factors: 15 with [3, 75] -> "15x [3, 75]".
//   unit  of the percentage: "" in a column that says it in its heading.
std::string format_share(const Measure& measure,
                         std::string_view unit,
                         const std::vector<double>& levels = {});

// A ratio as a change: "+3.20 %", "-12.0 %"; "12.0x" where are_factors.
std::string format_change(double ratio);

// The ends of a ratio's interval as changes: "from -0.2 % to +3.2 %", "from 0.067x to 100x".
std::string format_change_range(double lo, double hi);

}  // namespace scalestudy
