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

}  // namespace

std::string format_plain(double value) {
  return format_rounded(value, decimals_of(value, 3));
}

std::string format_with_interval(double value,
                                 std::optional<double> lo,
                                 std::optional<double> hi,
                                 std::string_view unit) {
  if (!lo || !hi) {
    return format_plain(value) + std::string(unit);
  }
  const std::optional<IntervalDecimals> decimals = interval_decimals(value, *lo, *hi);
  if (!decimals) {
    const std::string text = format_plain(value);
    return text + std::string(unit) + " [" + text + ", " + text + "]";
  }
  return format_rounded(value, decimals->value) + std::string(unit) + " [" +
         format_rounded(*lo, decimals->lo) + ", " + format_rounded(*hi, decimals->hi) + "]";
}

std::string format_percent_with_interval(double fraction,
                                         std::optional<double> lo,
                                         std::optional<double> hi) {
  if (lo && hi) {
    return format_with_interval(100.0 * fraction, 100.0 * *lo, 100.0 * *hi, " %");
  }
  return format_with_interval(100.0 * fraction, std::nullopt, std::nullopt, " %");
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
