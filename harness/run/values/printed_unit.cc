#include "harness/run/values/printed_unit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/values/line_extractor.h"
#include "harness/run/values/unit_beside.h"
#include "harness/study/matrix/command.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using Kind = PrintedUnit::Kind;

std::optional<double> seconds_of(std::string_view text) {
  // Spellings beside the units of study files. No single "m": minutes, metres and milli have it. No
  // "Min", which may be the least of some, and no "day", so that "ns/day" is a time of something.
  static const std::array<std::pair<re2::RE2, double>, 8> kSpellings{{
      {"ps|(?i:psecs?|picoseconds?)", 1e-12},
      {"ns|(?i:nsecs?|nanoseconds?)", 1e-9},
      {"[u\xc2\xb5\xce\xbc]+s|(?i:usecs?|microseconds?)", 1e-6},
      {"MS|(?i:msecs?|milliseconds?)", 1e-3},
      {"(?i:secs?|seconds?)", 1.0},
      {"(?i:mins|minutes?)", 60.0},
      {"(?i:hrs?|hours?)", kSecondsAnHour},
      {"(?i:days)", 86400.0},
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

// How many a second: of frames, or of what nobody says.
std::optional<double> rate_of(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 6> kRates{
      {{"fps", 1.0}, {"FPS", 1.0}, {"Hz", 1.0}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
  const auto* const rate =
      std::ranges::find(kRates, text, &std::pair<std::string_view, double>::first);
  return rate == kRates.end() ? std::nullopt : std::optional(rate->second);
}

// A printed unit as a study file takes it: "samples/sec" as "samples/s".
std::string study_unit(std::string_view printed) {
  if (const std::size_t slash = printed.find('/'); slash != std::string_view::npos) {
    return study_unit(printed.substr(0, slash)) + "/" + study_unit(printed.substr(slash + 1));
  }
  const std::optional<double> seconds = seconds_of(printed);
  for (const char* unit : {"ns", "us", "ms", "s", "min", "h", "d"}) {
    if (seconds && *seconds == seconds_per_unit(unit)) {
      return unit;
    }
  }
  return printed == "KB"                        ? "kB"
         : printed == "fps" || printed == "FPS" ? "frames/s"
                                                : std::string(printed);
}

// What a word counts, by the first word for it: "token" of "toks"; "" for a word that is not known.
std::string counted_by(std::string word) {
  static const std::array<std::pair<const char*, re2::RE2>, 4> kCounted{{
      {"iteration", "(?:its?|iters?|iterations?|steps?|batch(?:es)?)"},
      {"sample", "(?:samples?|images?|imgs?|examples?|seqs?|sequences?|sentences?)"},
      {"token", "(?:toks?|tokens?)"},
      {"word", "words?"},
  }};
  word.erase(0, word.find_first_not_of("0123456789"));  // "10it"
  word = lowered(word);
  for (const auto& [name, words] : kCounted) {
    if (re2::RE2::FullMatch(word, words)) {
      return name;
    }
  }
  return "";
}

// What a rate or a time counts: "token" for "toks/s" and "ms/token"; a time alone is that of a
// step.
std::string counted_in(const std::string& unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos) {
    return seconds_of(unit) ? "iteration" : "";
  }
  const std::string above = unit.substr(0, slash);
  return counted_by(seconds_of(above) ? unit.substr(slash + 1) : above);
}

// Whether one counts samples, "samples/s", and the other tokens, "tokens/s".
bool count_differently(const std::string& a, const std::string& b) {
  const std::string by_a = counted_in(a);
  const std::string by_b = counted_in(b);
  return !by_a.empty() && !by_b.empty() && by_a != by_b;
}

// What a rule needs beside another unit: how many 4GPU, or samples, a step is about. What it has
// for tokens is no number of samples.
std::string amount_hint(ExtractRule rule, const std::string& unit) {
  const bool has_amount = !rule.per_step.empty();
  const bool is_other = stored_unit(rule).needs_amount;
  const bool fits = has_amount && !count_differently(rule.unit, unit);
  rule.unit = unit;
  const StoredUnit stored = stored_unit(rule);
  if (!stored.needs_amount) {
    return has_amount && is_other ? ", and leave per_step out" : "";
  }
  return fits ? ""
         : stored.is_rate
             ? fmt::format(", and per_step: how many {} a step has", unit.substr(0, unit.find('/')))
             : ", and per_step: 1 if a step takes that long";
}

// Programs print MB for 1e6 bytes and for 2^20: the rule says which.
bool are_equal(const PrintedUnit& a, const PrintedUnit& b) {
  constexpr double rounding = 1e-9;
  constexpr double binary = 0.1;  // 2^40 is 10 % more than 1e12
  const bool is_size = a.kind == Kind::kSize || a.kind == Kind::kSizePerTime;
  return a.kind == b.kind && std::abs(a.factor / b.factor - 1.0) < (is_size ? binary : rounding);
}

void refuse_percent(std::string_view number, std::string_view behind, const ExtractRule& rule) {
  static const re2::RE2 kPercent("^[ \t]*(%|(?i:percent|pct)\\b)");
  std::string printed;
  if (re2::RE2::PartialMatch(behind, kPercent, &printed)) {
    throw BadNumber(fmt::format("'{}' is followed by '{}', and the rule says {}{}",
                                number,
                                printed,
                                rule.unit,
                                rule.unit == "1" ? ": write unit: \"%\"" : ""));
  }
}

// A thousand of what the rule counts: "kimg/s" beside "img/s".
void refuse_multiple(std::string_view number, const std::string& printed, const ExtractRule& rule) {
  constexpr std::string_view prefixes = "kKMGT";
  if (rule.unit.find('/') != std::string::npos && printed.size() == rule.unit.size() + 1 &&
      printed.ends_with(rule.unit) && prefixes.find(printed[0]) != std::string_view::npos) {
    ExtractRule other = rule;
    other.unit = printed;
    throw BadNumber(
        fmt::format("'{0}' is followed by '{1}', and the rule says {2}: is it {0} {2} or "
                    "{0} {1}? If {0} {1}, write unit: {1}{3}",
                    number,
                    printed,
                    rule.unit,
                    stored_unit(other).needs_amount ? " and how many of these a step has" : ""));
  }
}

// Whether the unit behind a number may be the label of the next column: "12.5\tMB\t300".
bool may_label_column(std::string_view behind, const UnitBeside& found) {
  static const re2::RE2 kValue("^[ \t]+[-+]?\\.?[0-9]");
  return begins_column(behind) &&
         re2::RE2::PartialMatch(without_blanks(behind).substr(found.text.size()), kValue);
}

// - found: a known unit, with which a rule of this unit cannot be right.
// - is_label: whether it may be the label of the next column.
[[noreturn]] void throw_other(std::string_view number,
                              const UnitBeside& found,
                              bool is_behind,
                              bool is_label,
                              const ExtractRule& rule) {
  const bool is_of_steps =
      found.unit == "Hz" && parse_printed_unit(rule.unit)->kind != Kind::kPerTime;
  ExtractRule other = rule;
  other.unit = is_of_steps ? "it/s" : study_unit(found.unit);
  const bool is_possible = !stored_unit(other).unit.empty();  // a time is not in ps or MB
  std::string advice = is_possible ? fmt::format(" If {} {}, write unit: {}{}",
                                                 number,
                                                 found.unit,
                                                 other.unit,
                                                 amount_hint(rule, other.unit))
                                   : fmt::format(" {} cannot be in {}", rule.metric, found.unit);
  if (is_label) {
    advice += fmt::format("; if {} {}, write what is next to it into the regex", number, rule.unit);
  } else if (!is_possible) {
    advice += fmt::format("; if {0} {1}, let the program print {1} beside it", number, rule.unit);
  }
  throw BadNumber(
      fmt::format("'{0}' is {1} '{2}'{3}, and the rule says {4}: is it {0} {4} or {0} {5}?{6}",
                  number,
                  is_behind ? "followed by" : "after",
                  found.text,
                  parse_printed_unit(found.unit)->kind == Kind::kPerTime ? ", a rate" : "",
                  rule.unit,
                  found.unit,
                  advice));
}

}  // namespace

std::optional<PrintedUnit> parse_printed_unit(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    if (const auto seconds = seconds_of(text)) {
      return PrintedUnit{Kind::kTime, *seconds};
    }
    if (const auto rate = rate_of(text)) {
      return PrintedUnit{Kind::kPerTime, *rate};
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

bool names_time(std::string_view words) {
  static const re2::RE2 kTime(
      "(?i)(?:\\b(?:dt|took|takes)\\b|tim(?:es?|ings?)(?:[^a-z]|$)|duration|latency)");
  return re2::RE2::PartialMatch(words, kTime);
}

bool is_next_label(std::string_view name,
                   std::string_view word,
                   std::string_view rest,
                   bool is_column) {
  static const re2::RE2 kNamed("^[\"']? ?[:=] *[\"']?[-+]?\\.?[0-9]");
  static const re2::RE2 kNumber(
      "^[ \t]+[-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)? "
      "?([A-Za-z\xc2\xb5\xce\xbc%]*(?:/[A-Za-z0-9]+)?)");
  static const re2::RE2 kLetter("[A-Za-z]");
  std::string next;
  if (re2::RE2::PartialMatch(rest, kNamed)) {
    return true;
  }
  const std::optional<PrintedUnit> unit = parse_printed_unit(word);
  const bool is_size = unit && (unit->kind == Kind::kSize || unit->kind == Kind::kSizePerTime);
  const bool may_be_time = is_size ? !is_column : !unit || unit->kind != Kind::kPerTime;
  return re2::RE2::PartialMatch(rest, kNumber, &next) && re2::RE2::PartialMatch(name, kLetter) &&
         !(may_be_time && names_time(name)) && next != "%" && !parse_printed_unit(next);
}

void refuse_other_unit(std::string_view before,
                       std::string_view number,
                       std::string_view behind,
                       const ExtractRule& rule,
                       std::string_view known) {
  const std::optional<PrintedUnit> own = parse_printed_unit(rule.unit);
  if (!own) {
    if (rule.unit == "1") {
      refuse_percent(number, behind, rule);
    }
    return;
  }
  const std::optional<PrintedUnit> above =
      parse_printed_unit(std::string_view(rule.unit).substr(0, rule.unit.find('/')));
  const auto is_of_rule = [&](const std::string& unit) {
    const PrintedUnit printed = *parse_printed_unit(unit);
    // "s/it" is also the time of a step in s, and "s" may be the time of ten where the rule says
    // so.
    return (own->kind == Kind::kTimePer && above && are_equal(printed, *above)) ||
           (!count_differently(rule.unit, unit) &&
            (are_equal(printed, *own) ||
             (own->kind == Kind::kTime && printed.kind == Kind::kTimePer &&
              are_equal({Kind::kTime, printed.factor}, *own))));
  };
  const auto is_known = [](const UnitBeside& found) {
    return parse_printed_unit(found.unit).has_value();
  };
  const UnitBeside in_brackets = unit_in_brackets(before);
  UnitBeside found = unit_behind(before, behind);
  const bool is_behind = is_known(found);
  if ((!is_behind || without_blanks(behind).size() < behind.size()) && is_known(in_brackets) &&
      is_of_rule(in_brackets.unit)) {
    return;
  }
  if (!is_behind) {
    found = is_known(in_brackets) ? in_brackets : unit_in_name(before);
  }
  refuse_percent(number, behind, rule);
  refuse_multiple(number, found.unit, rule);
  const bool is_label = is_behind && may_label_column(behind, found);
  if (is_known(found) && !is_of_rule(found.unit) && !(is_label && known.starts_with(found.text))) {
    throw_other(number, found, is_behind, is_label, rule);
  }
}

}  // namespace scalestudy
