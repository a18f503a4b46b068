#include "harness/analysis/wording.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "harness/base/text.h"

namespace scalestudy {
namespace {

std::string describe_parameters(const std::vector<std::string>& parts, const std::string& devices) {
  const std::string joined = join(parts, " ");
  if (joined.empty() || devices.empty()) {
    return devices + joined;
  }
  return devices + " at " + joined;
}

const CellRow::Parameter* find_parameter(const CellRow& cell, const std::string& name) {
  const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  return found == cell.parameters.end() ? nullptr : &*found;
}

// "+3.2" for a text that is above 0.
std::string with_sign(const std::string& text) {
  const bool is_positive =
      !text.starts_with('-') && text.find_first_of("123456789") != std::string::npos;
  return (is_positive ? "+" : "") + text;
}

}  // namespace

std::string format_plain(double value) {
  return format_rounded(value, decimals_of(value, 3));
}

std::string format_with_interval(double value,
                                 std::optional<double> lo,
                                 std::optional<double> hi,
                                 std::string_view unit,
                                 const std::vector<double>& levels) {
  if (!lo || !hi) {
    return format_plain(value) + std::string(unit);
  }
  const std::optional<IntervalDecimals> decimals = interval_decimals(value, *lo, *hi, levels);
  if (!decimals) {
    const std::string text = format_plain(value);
    return text + std::string(unit) + " [" + text + ", " + text + "]";
  }
  return format_rounded(value, decimals->value) + std::string(unit) + " [" +
         format_rounded(*lo, decimals->lo) + ", " + format_rounded(*hi, decimals->hi) + "]";
}

std::string format_percent_with_interval(double fraction,
                                         std::optional<double> lo,
                                         std::optional<double> hi,
                                         const std::vector<double>& levels) {
  if (are_factors(fraction, lo, hi)) {
    return format_with_interval(fraction, lo, hi, "x", levels);
  }
  const auto percent = [](std::optional<double> x) {
    return x ? std::optional(100.0 * *x) : std::nullopt;
  };
  std::vector<double> percent_levels;
  percent_levels.reserve(levels.size());
  for (const double level : levels) {
    percent_levels.push_back(100.0 * level);
  }
  return format_with_interval(100.0 * fraction, percent(lo), percent(hi), " %", percent_levels);
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
    return "from " + format_rounded(lo, decimals.lo) + "x to " + format_rounded(hi, decimals.hi) +
           "x";
  }
  const double low = 100.0 * (lo - 1.0);
  const double high = 100.0 * (hi - 1.0);
  const auto decimals = interval_decimals(low, low, high, std::vector{0.0})
                            .value_or(IntervalDecimals{.value = 1, .lo = 1, .hi = 1});
  return "from " + with_sign(format_rounded(low, decimals.lo)) + " % to " +
         with_sign(format_rounded(high, decimals.hi)) + " %";
}

std::string format_number(double value) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 12);
  return {buffer.data(), error == std::errc() ? end : buffer.data()};
}

std::string format_percent(double fraction) {
  return format_number(100.0 * fraction) + " %";
}

std::string say_p_value(double p_value) {
  const std::string text = format_p_value(p_value);
  return text.starts_with('<') ? "p " + text : "p = " + text;
}

std::string format_count(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string describe_cell(const CellRow& cell) {
  std::vector<std::string> parts;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.varied && parameter.name != "devices") {
      parts.push_back(parameter.name + "=" + parameter.value);
    }
  }
  return describe_parameters(parts, format_count(cell.devices, "device"));
}

std::string describe_against(const CellRow& named, const CellRow& other) {
  std::vector<std::string> parts;
  for (const CellRow::Parameter& parameter : named.parameters) {
    const CellRow::Parameter* theirs = find_parameter(other, parameter.name);
    const bool differs = theirs == nullptr || theirs->value != parameter.value;
    if (differs && parameter.name != "devices") {
      parts.push_back(parameter.name + "=" + parameter.value);
    }
  }
  const bool says_devices = named.devices != other.devices || parts.empty();
  return describe_parameters(parts, says_devices ? format_count(named.devices, "device") : "");
}

}  // namespace scalestudy
