// Rounding by the uncertainty and scaling of units; no statistic is made here.
#include "harness/text/measure.h"

#include <algorithm>
#include <cmath>

#include "harness/text/number.h"

namespace scalestudy {
namespace {

// "+3.2" for a text that is above 0.
std::string with_sign(const std::string& text) {
  const bool is_positive =
      !text.starts_with('-') && text.find_first_of("123456789") != std::string::npos;
  return (is_positive ? "+" : "") + text;
}

// Whether a value has an interval, which is more than the value itself.
bool has_width(const Measure& measure) {
  return measure.lo && measure.hi && !(measure.lo == measure.hi && measure.lo == measure.value);
}

// " ms"; nothing for a pure number.
std::string behind_number(const std::string& unit) {
  return unit.empty() || unit == "1" ? "" : " " + unit;
}

// Whether a person would declare that number: at most two decimals.
bool is_round(double number) {
  const double hundredths = 100.0 * number;
  return std::abs(hundredths - std::round(hundredths)) < 1e-6;
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

std::string format_half_width(const Measure& measure, double factor, std::string_view unit) {
  const std::string behind = behind_number(std::string(unit));
  if (!measure.value || !has_width(measure)) {
    return format_interval(measure, {.factor = factor, .unit = behind});
  }
  const double lo = *measure.lo * factor;
  const double hi = *measure.hi * factor;
  const double value = *measure.value * factor;
  const double half_width = (hi - lo) / 2.0;
  const int decimals = decimals_for(half_width, value).value_or(decimals_of(value, 4));
  const double half_digit = 0.5 * std::pow(10.0, -decimals);
  if (std::abs((hi + lo) / 2.0 - value) > std::min(half_digit, 0.1 * half_width)) {
    return format_interval(measure, {.factor = factor, .unit = behind});
  }
  return format_decimals(value, decimals) + " ± " + format_decimals(half_width, decimals) + behind;
}

std::string format_part(const Measure& measure, double factor) {
  const double most = measure.hi.value_or(measure.value.value_or(0.0)) * factor;
  return most > 0.0 && most < 0.001 ? "< 0.001" : format_half_width(measure, factor);
}

Scale amount_scale(const std::string& unit, double largest) {
  if (unit != "bytes" && unit != "B") {
    return scale_for(unit, largest);
  }
  constexpr double kibi = 1024.0;
  Scale scale = {"B", 1.0};
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (largest * scale.factor < kibi) {
      break;
    }
    scale = {larger, scale.factor / kibi};
  }
  return scale;
}

std::string format_amount(const Measure& measure,
                          const std::string& unit,
                          const std::vector<double>& levels,
                          std::optional<double> largest) {
  const Scale scale = amount_scale(unit, largest.value_or(std::abs(measure.value.value_or(0.0))));
  return format_interval(
      measure, {.factor = scale.factor, .unit = behind_number(scale.unit), .levels = levels});
}

std::string format_size(double bytes) {
  return format_amount({.value = bytes, .lo = {}, .hi = {}}, "bytes");
}

std::string format_declared_amount(double amount,
                                   const std::string& unit,
                                   std::optional<double> largest) {
  const Scale scale = amount_scale(unit, largest.value_or(std::abs(amount)));
  const double scaled = amount * scale.factor;
  const bool is_long = std::abs(scaled) >= 10'000.0 && std::abs(scaled) < 1e15 &&
                       scaled == std::round(scaled);  // gets commas, as measured numbers do
  const std::string text =
      (is_long ? format_decimals(scaled, 0) : format_declared(scaled)) + behind_number(scale.unit);
  if ((unit != "bytes" && unit != "B") || is_round(scaled)) {
    return text;
  }
  Scale decimal = {"B", 1.0};
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (std::abs(amount) * decimal.factor < 1000.0) {
      break;
    }
    decimal = {larger, decimal.factor / 1000.0};
  }
  const std::string binary = format_number(scaled) + behind_number(scale.unit);
  return is_round(amount * decimal.factor)
             ? format_declared(amount * decimal.factor) + " " + decimal.unit + " (" + binary + ")"
             : binary;
}

IntervalTexts interval_texts(const Measure& measure, const IntervalStyle& style) {
  const double lo = style.factor * *measure.lo;
  const double hi = style.factor * *measure.hi;
  const double value = measure.value ? style.factor * *measure.value : hi;
  std::vector<double> levels;
  levels.reserve(style.levels.size());
  for (const double level : style.levels) {
    levels.push_back(style.factor * level);
  }
  const int plain = decimals_of(value, 4);  // of an interval of no width
  const auto decimals = interval_decimals(value, lo, hi, levels)
                            .value_or(IntervalDecimals{.value = plain, .lo = plain, .hi = plain});
  return {.value = measure.value ? format_decimals(value, decimals.value) : "",
          .lo = format_decimals(lo, decimals.lo),
          .hi = format_decimals(hi, decimals.hi)};
}

std::string format_interval(const Measure& measure, const IntervalStyle& style) {
  if (!measure.value) {
    return kAbsent;
  }
  const std::string unit(style.unit);
  if (!has_width(measure)) {
    return format_number(*measure.value * style.factor) + unit;
  }
  return interval_texts(measure, style).value + unit + " " + format_bounds(measure, style);
}

std::string format_value(const Measure& measure, double factor) {
  return !measure.value             ? ""
         : measure.lo && measure.hi ? interval_texts(measure, {.factor = factor}).value
                                    : format_number(*measure.value * factor);
}

std::string format_bounds(const Measure& measure, const IntervalStyle& style) {
  if (!measure.lo || !measure.hi) {
    return {};
  }
  const IntervalTexts texts = interval_texts(measure, style);
  return "[" + texts.lo + ", " + texts.hi + "]";
}

std::string format_share(const Measure& measure,
                         std::string_view unit,
                         const std::vector<double>& levels) {
  return format_interval(measure, {.factor = 100.0, .unit = unit, .levels = levels});
}

std::string format_change(double ratio) {
  const double percent = 100.0 * (ratio - 1.0);
  return are_factors(ratio - 1.0, {}, {}) ? format_plain(ratio) + "x"
                                          : with_sign(format_plain(percent)) + " %";
}

std::string format_change_range(double lo, double hi) {
  if (are_factors(lo - 1.0, {}, hi - 1.0)) {
    const auto decimals = interval_decimals(lo, lo, hi, std::vector{1.0})
                              .value_or(IntervalDecimals{.value = 2, .lo = 2, .hi = 2});
    return "from " + format_decimals(lo, decimals.lo) + "x to " + format_decimals(hi, decimals.hi) +
           "x";
  }
  const double low = 100.0 * (lo - 1.0);
  const double high = 100.0 * (hi - 1.0);
  const auto decimals = interval_decimals(low, low, high, std::vector{0.0})
                            .value_or(IntervalDecimals{.value = 1, .lo = 1, .hi = 1});
  return "from " + with_sign(format_decimals(low, decimals.lo)) + " % to " +
         with_sign(format_decimals(high, decimals.hi)) + " %";
}

}  // namespace scalestudy
