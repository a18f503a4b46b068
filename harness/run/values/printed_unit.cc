#include "harness/run/values/printed_unit.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/values/line_extractor.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

using Kind = PrintedUnit::Kind;

std::optional<double> seconds_of(std::string_view text) {
  // Spellings beside the units of study files. No single "m": minutes, metres and milli have it.
  static const std::array<std::pair<re2::RE2, double>, 6> kSpellings{{
      {"ns|nsecs?|nanoseconds?", 1e-9},
      {"[u\xc2\xb5\xce\xbc]+s|usecs?|microseconds?", 1e-6},
      {"msecs?|milliseconds?", 1e-3},
      {"secs?|seconds?", 1.0},
      {"mins?|minutes?", 60.0},
      {"hrs?|hours?", 3600.0},
  }};
  if (const auto known = seconds_per_unit(text)) {
    return known;
  }
  for (const auto& [spelling, seconds] : kSpellings) {
    if (re2::RE2::FullMatch(text, spelling)) {
      return seconds;
    }
  }
  return std::nullopt;
}

std::optional<double> bytes_of(std::string_view text) {
  return text == "bytes" ? 1.0 : text == "KB" ? bytes_per_unit("kB") : bytes_per_unit(text);
}

// The unit that the text begins with, as printed; "" for none.
std::string unit_behind(std::string_view behind) {
  static const re2::RE2 kUnit(
      "^ ?([A-Za-z\xc2\xb5\xce\xbc]+(?:/[0-9]*[A-Za-z]+)?)(?:[^A-Za-z0-9_/]|$)");
  static const re2::RE2 kLabel("^ min(?: |[:=] ?)[0-9]");  // "mean 12.5 min 10.1": the least
  std::string unit;
  return !re2::RE2::PartialMatch(behind, kLabel) && re2::RE2::PartialMatch(behind, kUnit, &unit)
             ? unit
             : "";
}

// The unit in the name before a number: "time (ms): ", "step_ms=", "it 1 ms: "; "" for none.
// Words that say other things too, like s, count in brackets only.
std::string unit_in_name(std::string_view before) {
  static const re2::RE2 kBracket(
      "[(\\[] *([A-Za-z\xc2\xb5\xce\xbc/]+) *[)\\]][\"']? *[:=]? *[\"']?$");
  static const re2::RE2 kWord(
      "[ _](ns|us|ms|nsec|usec|msec|sec|secs|seconds|[kKMGT]i?B)[\"']? ?[:=] *[\"']?$");
  std::string unit;
  const bool is_found = re2::RE2::PartialMatch(before, kBracket, &unit) ||
                        re2::RE2::PartialMatch(before, kWord, &unit);
  return is_found ? unit : "";
}

// What a rule for "ms/4GPU" needs beside the unit: how many 4GPU a step is about.
std::string amount_hint(const std::string& unit) {
  return re2::RE2::FullMatch(unit, "[^/]+/[0-9]+[A-Za-z]+") &&
                 !re2::RE2::FullMatch(unit, ".*/[0-9]+(?:its?|iters?|iterations?|steps?)")
             ? ", and per_step: 1 if a step takes that long"
             : "";
}

// Programs print MB for 1e6 bytes and for 2^20: the rule says which.
bool are_equal(const PrintedUnit& a, const PrintedUnit& b) {
  constexpr double rounding = 1e-9;
  constexpr double binary = 0.1;  // 2^40 is 10 % more than 1e12
  const bool is_size = a.kind == Kind::kSize || a.kind == Kind::kSizePerTime;
  return a.kind == b.kind && std::abs(a.factor / b.factor - 1.0) < (is_size ? binary : rounding);
}

}  // namespace

std::optional<PrintedUnit> parse_printed_unit(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    if (const auto seconds = seconds_of(text)) {
      return PrintedUnit{Kind::kTime, *seconds};
    }
    const auto bytes = bytes_of(text);
    return bytes ? std::optional(PrintedUnit{Kind::kSize, *bytes}) : std::nullopt;
  }
  const std::string_view above = text.substr(0, slash);
  const std::string_view below = text.substr(slash + 1);
  const auto time_above = seconds_of(above);
  const auto time_below = seconds_of(below);
  if (above.empty() || below.empty() || time_above.has_value() == time_below.has_value()) {
    return std::nullopt;
  }
  if (time_above) {
    std::int64_t count = 1;  // "s/10it"
    re2::RE2::PartialMatch(below, "^([1-9][0-9]{0,8})[A-Za-z]", &count);
    return PrintedUnit{Kind::kTimePer, *time_above / static_cast<double>(count)};
  }
  const auto bytes = bytes_of(above);
  return bytes ? PrintedUnit{Kind::kSizePerTime, *bytes / *time_below}
               : PrintedUnit{Kind::kPerTime, 1.0 / *time_below};
}

void refuse_other_unit(std::string_view before,
                       std::string_view number,
                       std::string_view behind,
                       const ExtractRule& rule) {
  const std::optional<PrintedUnit> own = parse_printed_unit(rule.unit);
  if (!own) {
    return;
  }
  const std::optional<PrintedUnit> above =
      parse_printed_unit(std::string_view(rule.unit).substr(0, rule.unit.find('/')));
  const auto is_of_rule = [&](const PrintedUnit& printed) {
    // "s/it" is also the time of a step in s, and "s" may be the time of ten where the rule says
    // so.
    return are_equal(printed, *own) ||
           (own->kind == Kind::kTime && printed.kind == Kind::kTimePer &&
            are_equal({Kind::kTime, printed.factor}, *own)) ||
           (own->kind == Kind::kTimePer && above && are_equal(printed, *above));
  };
  std::string unit = unit_behind(behind);
  std::optional<PrintedUnit> printed = parse_printed_unit(unit);
  const bool is_behind = printed.has_value();
  if (!is_behind) {
    unit = unit_in_name(before);
    printed = parse_printed_unit(unit);
  }
  if (printed && !is_of_rule(*printed)) {
    throw BadNumber(
        fmt::format("'{0}' is {1} '{2}'{3}, and the rule says {4}: is it {0} {4} or "
                    "{0} {2}? If {0} {2}, write unit: {2}{5}",
                    number,
                    is_behind ? "followed by" : "behind",
                    unit,
                    printed->kind == Kind::kPerTime ? ", a rate" : "",
                    rule.unit,
                    amount_hint(unit)));
  }
}

}  // namespace scalestudy
