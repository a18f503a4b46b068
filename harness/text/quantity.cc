// Splits a number from its unit and looks the unit up in one table per dimension.
#include "harness/text/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace scalestudy {
namespace {

using Unit = std::pair<std::string_view, double>;

constexpr auto kDurationUnits = std::to_array<Unit>(
    {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", kSecondsAnHour}, {"d", 86400.0}});
constexpr auto kPercentUnits = std::to_array<Unit>({{"%", 0.01}});
constexpr double kKibi = 1024.0;
constexpr auto kByteUnits = std::to_array<Unit>({{"B", 1.0},
                                                 {"kB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9},
                                                 {"TB", 1e12},
                                                 {"KiB", kKibi},
                                                 {"MiB", kKibi* kKibi},
                                                 {"GiB", kKibi* kKibi* kKibi},
                                                 {"TiB", kKibi* kKibi* kKibi* kKibi}});

constexpr auto kBitRateUnits = std::to_array<Unit>({{"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}});

struct Dimension {
  std::string_view what;     // "a duration"
  std::string_view example;  // "10min"
  std::string_view bare;     // what a number without a unit most likely is in
  std::span<const Unit> units;
};

const Dimension kDuration{"a duration", "10min", "s", kDurationUnits};
const Dimension kPercent{"a percentage", "2%", "%", kPercentUnits};
const Dimension kBytes{"a size", "25MB", "B", kByteUnits};
const Dimension kBitRate{"a rate", "1Gbit", "Mbit", kBitRateUnits};

std::string unit_names(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) {
    names += (names.empty() ? "" : ", ") + std::string(unit.first);
  }
  return names;
}

std::optional<double> size_of_unit(std::string_view name, std::span<const Unit> units) {
  if (name == "µs" || name == "μs") {  // Unicode's micro sign and its Greek letter
    name = "us";
  }
  for (const Unit& unit : units) {
    if (unit.first == name) {
      return unit.second;
    }
  }
  return std::nullopt;
}

// Moves the decimal point of the text: 99.9 / 100 is not the double 0.999, but 99.9e-2 is.
double hundredth(std::string_view written, double number) {
  return parse_number(std::string(written) + "e-2").value_or(number / 100.0);
}

Quantity parse_quantity(std::string_view text, const Dimension& dimension) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) {
    return {std::nullopt,
            fmt::format(
                "\"{}\" is not {}; write one like {}", text, dimension.what, dimension.example)};
  }
  const auto written = text.substr(0, static_cast<std::size_t>(end - text.data()));
  auto rest = text.substr(written.size());
  while (!rest.empty() && rest.front() == ' ') {
    rest.remove_prefix(1);
  }
  if (rest.empty() && dimension.bare == "%" && number > 0.0 && number <= 1.0) {
    return {std::nullopt,
            fmt::format("{} has no unit; write {:g}% or, if that is meant, {:g}%",
                        text,
                        number * 100.0,
                        number)};
  }
  if (rest.empty()) {
    return {std::nullopt,
            fmt::format("{} has no unit; {} is required, e.g. {} (units: {})",
                        text,
                        dimension.what,
                        number > 0.0 ? fmt::format("{}{}", text, dimension.bare)
                                     : std::string(dimension.example),
                        unit_names(dimension.units))};
  }
  if (const auto size = size_of_unit(rest, dimension.units)) {
    const double value = rest == "%" ? hundredth(written, number) : number * *size;
    return std::isfinite(value) ? Quantity{value, ""}
                                : Quantity{std::nullopt, fmt::format("\"{}\" is too large", text)};
  }
  return {std::nullopt,
          fmt::format("\"{}\" is not a unit of {}; units: {}",
                      rest,
                      dimension.what.substr(2),
                      unit_names(dimension.units))};
}

}  // namespace

Quantity parse_duration_s(std::string_view text) {
  return parse_quantity(text, kDuration);
}

Quantity parse_percent(std::string_view text) {
  return parse_quantity(text, kPercent);
}

Quantity parse_bytes(std::string_view text) {
  return parse_quantity(text, kBytes);
}

Quantity parse_bit_rate(std::string_view text) {
  return parse_quantity(text, kBitRate);
}

std::optional<double> bytes_per_unit(std::string_view unit) {
  return size_of_unit(unit, kByteUnits);
}

std::optional<double> seconds_per_unit(std::string_view unit) {
  if (unit == "ns") {  // programs print it; no duration of a study is so short
    return 1e-9;
  }
  return size_of_unit(unit, kDurationUnits);
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = parse_whole<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::int64_t> whole_number(double number) {
  constexpr double most = 9007199254740992.0;  // 2^53
  return std::abs(number) <= most && std::trunc(number) == number
             ? std::optional(static_cast<std::int64_t>(number))
             : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
  return digits.size() > 1 && digits.front() == '0' ? std::nullopt
                                                    : parse_whole<std::int64_t>(text);
}

bool may_be_version(std::string_view text) {
  const std::size_t point = text.find('.');
  return point != std::string_view::npos &&
         text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.find_first_of("123456789") < point && text.ends_with('0') &&
         text.find_first_of("123456789", point) != std::string_view::npos;
}

bool is_version_beside(std::string_view text, std::string_view other) {
  constexpr std::int64_t first = 10;  // that loses a digit; 2.20 beside 2.22 are hardly versions
  constexpr std::int64_t next = 4;    // versions compared are no further apart
  const std::size_t point = std::min(text.find('.'), text.size());
  if (!may_be_version(text) || other.substr(0, point + 1) != text.substr(0, point + 1)) {
    return false;
  }
  const auto minor = parse_integer(text.substr(point + 1));
  const auto of_other = parse_integer(other.substr(point + 1));
  return other.size() != text.size() ||
         (minor == first && of_other && *of_other > first && *of_other - first <= next);
}

}  // namespace scalestudy
