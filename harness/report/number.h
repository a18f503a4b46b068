// Stored numbers as a report prints them: one unit a column, digits chosen by the uncertainty.
#pragma once

#include <optional>
#include <string>

namespace scalestudy::report {

constexpr const char* kAbsent = "–";  // what there is no number of

// A value and its interval in the stored unit; what is absent was not computed.
struct Measure {
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
};

// printed = stored * factor, in `unit`.
struct Scale {
  std::string unit;
  double factor = 1.0;
};

// The unit a column of `unit` is printed in, by the largest of its values: seconds become "s", "ms"
// or "µs", bytes/s always GB/s (10^9); other units stay.
Scale scale_for(const std::string& unit, double largest);

// Rounded to `decimals` (negative: tens, hundreds ...), never "-0", commas from 10,000 on.
std::string format_decimals(double value, int decimals);

// "7.62 ± 0.13": half-width to two significant digits and the value to the same decimal. Without an
// interval the value alone, with four digits; "–" without a value.
std::string format_half_width(const Measure& measure, double factor);

// As format_half_width, but "< 0.001" for what lies wholly below that in a column of larger
// numbers.
std::string format_part(const Measure& measure, double factor);

// "1.75 [1.70, 1.80]", rounded in the same way; for intervals that need not be symmetric. Each
// number with two digits of its own where the ends are more than a factor of ten apart.
//   level  what the ends are read against, in the stored unit: they show their side of it.
std::string format_interval(const Measure& measure,
                            double factor,
                            std::optional<double> level = {});

// The same of fractions in a column of percentages; "15x [3, 75]" where are_factors.
std::string format_percent_interval(const Measure& measure, std::optional<double> level = {});

// "[1.70, 1.80]" alone, "" when there is none.
std::string format_bounds(const Measure& measure, double factor, std::optional<double> level = {});

// Four significant digits, trailing zeros dropped: "0.85", "1.7", "128".
std::string format_number(double value);

// A declared fraction in percent: 0.02 -> "2 %".
std::string format_fraction(double fraction);

// "0.013", "< 0.0001", "–" when absent.
std::string format_p(const std::optional<double>& p_value);

// Shortest text that reads back to the same bits; "" when absent. For CSV.
std::string format_exact(const std::optional<double>& value);

}  // namespace scalestudy::report
