#include "harness/run/values/printed_number.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/values/printed_unit.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

// "177,138" without its commas, and so "177'138", "177_138" and "177 138", whatever its blank is;
// anything but thousands in groups of three stays as it is. No thousands begin with 0: "0,984" is a
// decimal comma.
std::string without_thousands(std::string text) {
  static const std::string kBetween = std::string("(?:[,_ ]|") + kBetweenThousands + ")";
  static const re2::RE2 kGrouped("[-+]?[1-9][0-9]{0,2}(?:" + kBetween + "[0-9]{3})+(?:\\.[0-9]*)?");
  static const re2::RE2 kOne(kBetween);
  if (re2::RE2::FullMatch(text, kGrouped)) {
    re2::RE2::GlobalReplace(&text, kOne, "");
  }
  return text;
}

// "1.234,5" as "1,234.5".
std::string swap_marks(std::string text) {
  for (char& c : text) {
    c = c == ',' ? '.' : c == '.' ? ',' : c;
  }
  return text;
}

// The seconds of "0:39:56", "1:02.5", "2-03:04:05" and "1 day, 2:03:04"; of "1m2.5s", "1h0m5s",
// "1 min 2.5 s" and "2.5s".
std::optional<double> clock_seconds(const std::string& text) {
  static const re2::RE2 kClock(
      "(?:([0-9]+)(?:-| days?, ))?(?:([0-9]+):)?([0-9]+):([0-9]{2}(?:\\.[0-9]*)?)");
  static const re2::RE2 kLetters(
      "(?:([0-9]+) ?d ?)?(?:([0-9]+) ?h ?)?(?:([0-9]+) ?m(?:in)? ?)?([0-9]+(?:\\.[0-9]*)?) "
      "?s(?:ec)?");
  constexpr double minute = 60.0;
  constexpr double day = 86400.0;
  std::string days;
  std::string hours;
  std::string minutes;
  std::string seconds;
  const bool has_colons = re2::RE2::FullMatch(text, kClock, &days, &hours, &minutes, &seconds);
  if (!has_colons && !re2::RE2::FullMatch(text, kLetters, &days, &hours, &minutes, &seconds)) {
    return std::nullopt;
  }
  const auto number = [](const std::string& part) { return parse_number(part).value_or(0.0); };
  if (has_colons && (number(seconds) >= minute || (!hours.empty() && number(minutes) >= minute))) {
    return std::nullopt;
  }
  return number(days) * day + (number(hours) * minute + number(minutes)) * minute + number(seconds);
}

// Whether a comma is one between thousands or before decimals: "12,345".
bool may_be_decimal_comma(const std::string& printed) {
  static const re2::RE2 kOneComma("[-+]?[0-9]{1,3},[0-9]{3}");
  return re2::RE2::FullMatch(printed, kOneComma);
}

// What a number with a unit, "12ms", needs; "" for others.
std::string hint_of_unit(const std::string& printed, const ExtractRule& rule) {
  static const re2::RE2 kWithUnit(
      "[-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)? *(%|[A-Za-z\xc2\xb5\xce\xbc/]+)");
  std::string unit;
  return !rule.regex.empty() && re2::RE2::FullMatch(printed, kWithUnit, &unit) &&
                 (unit == "%" || parse_printed_unit(unit))
             ? fmt::format("; end the group before '{}'", unit)
             : "";
}

}  // namespace

void add_printed(const std::string& printed, const ExtractRule& rule, FoundNumbers& found) {
  const bool has_comma = rule.decimal == DecimalMark::kComma;
  const std::string text = without_thousands(has_comma ? swap_marks(printed) : printed);
  if (const auto per_unit = seconds_per_unit(rule.unit)) {
    if (const auto seconds = clock_seconds(text)) {
      found.numbers.push_back(*seconds / *per_unit);
      return;
    }
  }
  double value = 0.0;
  const std::ptrdiff_t sign = text.starts_with('+') && !text.starts_with("+-") ? 1 : 0;
  const auto result = std::from_chars(text.data() + sign, text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument) {
    const bool hints = !has_comma && printed.find(',') != std::string::npos;
    throw BadValue(
        "'" + printed + "' is not a number" + hint_of_unit(printed, rule) +
        (hints ? "; if its comma is a decimal one, add decimal: comma to the rule" : ""));
  }
  if (result.ec == std::errc::result_out_of_range) {
    found.not_finite = "'" + printed + "' is out of range";
    value = std::numeric_limits<double>::infinity();
  } else if (!std::isfinite(value)) {
    found.not_finite = "'" + printed + "' is not finite, a finite number is required";
  }
  found.may_be_decimal_comma = !rule.decimal && may_be_decimal_comma(printed);
  found.numbers.push_back(value);
}

std::int64_t parse_step(std::string_view text) {
  constexpr std::int64_t most = 1'000'000'000'000'000;  // exact as a double, too
  const auto step = parse_whole<std::int64_t>(text);
  if (!step || *step < 0 || *step > most) {
    throw BadValue(fmt::format("'{}' is not a step number", text.substr(0, 80)));
  }
  return *step;
}

}  // namespace scalestudy
