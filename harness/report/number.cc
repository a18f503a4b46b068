// Rounding by the uncertainty and scaling of units; no statistic is made here.
#include "harness/report/number.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/base/number.h"

namespace scalestudy::report {
namespace {

// A reference in: gcc 12 sees an uninitialised byte when the string is moved in.
std::string with_commas(const std::string& plain) {
  std::string text = plain;
  const std::size_t start = !plain.empty() && plain[0] == '-' ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  if (point - start < 5) {
    return text;
  }
  for (std::size_t at = point - 3; at > start; at -= std::min<std::size_t>(at - start, 3)) {
    text.insert(at, 1, ',');
  }
  return text;
}

// Decimals that show four digits of a number without an interval.
int plain_decimals(double value) {
  return decimals_of(value, 4);
}

// Decimals of value and interval where the interval has no width as well.
IntervalDecimals decimals_of_interval(const Measure& measure,
                                      double factor,
                                      std::optional<double> level) {
  const double value = factor * measure.value.value_or(*measure.hi);
  const int plain = plain_decimals(value);
  std::vector<double> levels;
  if (level) {
    levels.push_back(factor * *level);
  }
  return interval_decimals(value, factor * *measure.lo, factor * *measure.hi, levels)
      .value_or(IntervalDecimals{.value = plain, .lo = plain, .hi = plain});
}

}  // namespace

Scale scale_for(const std::string& unit, double largest) {
  if (unit == "bytes/s") {
    return {"GB/s", 1e-9};
  }
  if (unit != "s" || largest >= 10.0) {
    return {unit, 1.0};
  }
  return largest >= 1e-3 || largest == 0.0 ? Scale{"ms", 1e3} : Scale{"µs", 1e6};
}

std::string format_decimals(double value, int decimals) {
  return with_commas(format_rounded(value, decimals));
}

std::string format_half_width(const Measure& measure, double factor) {
  if (!measure.value) {
    return kAbsent;
  }
  if (!measure.lo || !measure.hi) {
    return format_number(*measure.value * factor);
  }
  const double lo = *measure.lo * factor;
  const double hi = *measure.hi * factor;
  const double value = *measure.value * factor;
  const int decimals = decimals_for((hi - lo) / 2.0).value_or(plain_decimals(value));
  return format_decimals(value, decimals) + " ± " + format_decimals((hi - lo) / 2.0, decimals);
}

std::string format_part(const Measure& measure, double factor) {
  const double most = measure.hi.value_or(measure.value.value_or(0.0)) * factor;
  return most > 0.0 && most < 0.001 ? "< 0.001" : format_half_width(measure, factor);
}

std::string format_interval(const Measure& measure, double factor, std::optional<double> level) {
  if (!measure.value) {
    return kAbsent;
  }
  if (!measure.lo || !measure.hi) {
    return format_number(*measure.value * factor);
  }
  return format_decimals(*measure.value * factor,
                         decimals_of_interval(measure, factor, level).value) +
         " " + format_bounds(measure, factor, level);
}

std::string format_percent_interval(const Measure& measure, std::optional<double> level) {
  if (!measure.value || !are_factors(*measure.value, measure.lo, measure.hi)) {
    return format_interval(measure, 100.0, level);
  }
  std::string text = format_interval(measure, 1.0, level);
  return text.insert(std::min(text.find(' '), text.size()), "x");
}

std::string format_bounds(const Measure& measure, double factor, std::optional<double> level) {
  if (!measure.lo || !measure.hi) {
    return {};
  }
  const IntervalDecimals decimals = decimals_of_interval(measure, factor, level);
  return "[" + format_decimals(*measure.lo * factor, decimals.lo) + ", " +
         format_decimals(*measure.hi * factor, decimals.hi) + "]";
}

std::string format_number(double value) {
  std::string text = format_decimals(value, plain_decimals(value));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) {
      text.pop_back();
    }
  }
  return text;
}

std::string format_fraction(double fraction) {
  return format_number(100.0 * fraction) + " %";
}

std::string format_p(const std::optional<double>& p_value) {
  return p_value ? format_p_value(*p_value) : kAbsent;
}

std::string format_exact(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

}  // namespace scalestudy::report
