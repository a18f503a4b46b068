#include "harness/text/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace scalestudy {
namespace {

// Independent of the locale, as printf is not.
std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(),
                                          buffer.data() + buffer.size(),
                                          value,
                                          std::chars_format::fixed,
                                          std::max(decimals, 0));
  std::string text(buffer.data(), error == std::errc() ? end : buffer.data());
  if (text.starts_with('-') && text.find_first_of("123456789") == std::string::npos) {
    text.erase(0, 1);
  }
  return text;
}

std::string round_text(double value, int decimals) {
  if (decimals < 0) {
    const double step = std::pow(10.0, -decimals);
    return fixed(std::round(value / step) * step, 0);
  }
  return fixed(value, decimals);
}

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

// What format_decimals prints, as a number.
double round_to(double value, int decimals) {
  const std::string text = round_text(value, decimals);
  double rounded = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

// Below, at or above it; at it also where only binary noise is between them.
int side_of(double value, double level) {
  constexpr double noise = 1e-12;
  if (std::abs(value - level) <= noise * std::max(std::abs(value), std::abs(level))) {
    return 0;
  }
  return value < level ? -1 : 1;
}

// The fewest decimals, from `decimals` on, with which `end` is printed on its side of `level`;
// `decimals` where a double's digits do not show it.
int decimals_beside(double end, double level, int decimals) {
  constexpr int most = 15;
  const int side = side_of(end, level);
  int needed = decimals;
  while (needed < most && side_of(round_to(end, needed), level) != side) {
    ++needed;
  }
  return needed < most ? needed : decimals;
}

}  // namespace

int decimals_of(double value, int digits) {
  const double size = std::abs(value);
  if (!(size > 0.0) || !std::isfinite(size)) {
    return 0;
  }
  int exponent = static_cast<int>(std::floor(std::log10(size)));
  if (std::round(size / std::pow(10.0, exponent - digits + 1)) >= std::pow(10.0, digits)) {
    ++exponent;  // 0.0996 is 0.10 with two digits
  }
  return digits - 1 - exponent;
}

std::optional<int> decimals_for(double half_width) {
  if (!(half_width > 0.0) || !std::isfinite(half_width)) {
    return std::nullopt;
  }
  return decimals_of(half_width, 2);
}

std::optional<int> decimals_for(double half_width, double value) {
  constexpr int most_digits = 4;
  const std::optional<int> decimals = decimals_for(half_width);
  return decimals && value != 0.0
             ? std::min(*decimals,
                        std::max(decimals_of(value, most_digits), decimals_of(half_width, 1)))
             : decimals;
}

std::optional<IntervalDecimals> interval_decimals(double value,
                                                  double lo,
                                                  double hi,
                                                  std::span<const double> levels) {
  constexpr double wide = 10.0;
  const std::optional<int> common = decimals_for((hi - lo) / 2.0, value);
  if (!common) {
    return std::nullopt;
  }
  IntervalDecimals decimals = {.value = *common, .lo = *common, .hi = *common};
  if (lo > 0.0 && hi > wide * lo) {
    decimals = {.value = decimals_of(value, 2), .lo = decimals_of(lo, 2), .hi = decimals_of(hi, 2)};
  }
  for (const double level : levels) {
    decimals.lo = decimals_beside(lo, level, decimals.lo);
    decimals.hi = decimals_beside(hi, level, decimals.hi);
  }
  return decimals;
}

bool are_factors(double value, std::optional<double> lo, std::optional<double> hi) {
  constexpr double least = -0.9;
  constexpr double most = 10.0;
  return std::min({value, lo.value_or(value), hi.value_or(value)}) < least ||
         std::max({value, lo.value_or(value), hi.value_or(value)}) > most;
}

std::string format_decimals(double value, int decimals) {
  return with_commas(round_text(value, decimals));
}

std::string format_plain(double value) {
  return format_decimals(value, decimals_of(value, 3));
}

std::string format_number(double value) {
  std::string text = format_decimals(value, decimals_of(value, 4));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) {
      text.pop_back();
    }
  }
  return text;
}

std::string format_declared(double value) {
  return fmt::format("{:.12g}", value);
}

std::string format_percent(double fraction) {
  return format_declared(100.0 * fraction) + " %";
}

std::string format_levels(const std::vector<double>& fractions) {
  if (fractions.empty()) {
    return "";
  }
  const auto [least, most] = std::ranges::minmax(fractions);
  const std::string from = format_number(100.0 * least);
  const std::string to = format_number(100.0 * most);
  return (from == to ? from : from + " to " + to) + " %";
}

std::string format_exact(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string format_axis_value(double value) {
  return fmt::format("{}", value);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 5> units = {" B", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

std::string format_p_value(const std::optional<double>& p_value) {
  if (!p_value) {
    return kAbsent;
  }
  return *p_value < 0.0001 ? "< 0.0001" : format_decimals(*p_value, decimals_of(*p_value, 2));
}

std::string say_p_value(double p_value) {
  const std::string text = format_p_value(p_value);
  return text.starts_with('<') ? "p " + text : "p = " + text;
}

std::string format_count(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string format_all(std::int64_t count, std::string_view noun) {
  return count == 1   ? fmt::format("the one {}", noun)
         : count == 2 ? fmt::format("both {}s", noun)
                      : "all " + format_count(count, noun);
}

std::string format_ranges(const std::vector<std::int64_t>& ids) {
  std::string text;
  for (std::size_t begin = 0; begin < ids.size();) {
    std::size_t end = begin + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1) {
      ++end;
    }
    text += (begin == 0 ? "" : ",") + std::to_string(ids[begin]) +
            (end - begin == 1 ? "" : "-" + std::to_string(ids[end - 1]));
    begin = end;
  }
  return text;
}

}  // namespace scalestudy
