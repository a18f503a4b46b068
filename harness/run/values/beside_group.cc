#include "harness/run/values/beside_group.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/values/blank_thousands.h"
#include "harness/run/values/line_extractor.h"
#include "harness/run/values/printed_number.h"
#include "harness/run/values/printed_unit.h"
#include "harness/run/values/unit_beside.h"

namespace scalestudy {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The character at `at` if it stands for itself alone; it may be behind a backslash.
char literal(const std::string& regex, std::size_t at) {
  const bool is_escaped = at > 0 && regex[at - 1] == '\\' && (at < 2 || regex[at - 2] != '\\');
  const auto c = static_cast<unsigned char>(regex[at]);
  const bool has_meaning = std::string_view(".^$|?*+()[]{}").find(regex[at]) != std::string::npos;
  return (is_escaped ? std::isalnum(c) == 0 : !has_meaning && c != '\\') ? regex[at] : '\0';
}

// The text that ends at `end` and stands for itself alone.
std::string literals_before(const std::string& regex, std::size_t end) {
  std::string text;
  while (end > 0 && literal(regex, end - 1) != '\0') {
    text.insert(0, 1, regex[end - 1]);
    end -= end > 1 && regex[end - 2] == '\\' ? 2 : 1;
  }
  return text;
}

// The pattern from `at` on, if it begins with blanks: without them, and without \ before signs.
std::string known_behind(const std::string& regex, std::size_t at) {
  static const re2::RE2 kBlanks("(?:(?:\\\\[ts]|[ \t])(?:[+*]|\\{[0-9,]*\\})?)+");
  re2::StringPiece rest(regex.data() + at, regex.size() - at);
  std::string known;
  if (re2::RE2::Consume(&rest, kBlanks)) {
    known.assign(rest.data(), rest.size());
    re2::RE2::GlobalReplace(&known, "\\\\([^A-Za-z0-9])", "\\1");
  }
  return known;
}

// How a rule's numbers are written, in the notation of the locale C: "1.234,5" as "1,234.5".
class Notation {
 public:
  explicit Notation(const ExtractRule& rule) : is_comma_(rule.decimal == DecimalMark::kComma) {}

  std::string plain(std::string_view text) const { return swap_marks(text); }
  char plain(char c) const { return swap_marks({&c, 1}).front(); }

 private:
  std::string swap_marks(std::string_view text) const {
    std::string swapped(text);
    for (char& c : swapped) {
      c = !is_comma_ ? c : c == ',' ? '.' : c == '.' ? ',' : c;
    }
    return swapped;
  }

  bool is_comma_;
};

// Whether what is before the number, up to it, belongs to it: "12" before "5", "1," before "234",
// "1e" before "-5", Fortran's "1D+" before "05", "0x" before "10", the sign of "-5".
bool is_cut_before(const std::string& before, const std::string& number, char spelled) {
  static const re2::RE2 kDigits("[0-9]$");
  static const re2::RE2 kPoint("(?:^|[^A-Za-z.])\\.$");
  static const re2::RE2 kExponent("(?:[0-9][eE][-+]?|\\.[0-9]*[dD][-+])$");
  static const re2::RE2 kHex("(?:^|[^A-Za-z0-9])0[xX][0-9a-fA-F.]*$");
  static const re2::RE2 kThousands(std::string("[0-9](?:,|") + kBetweenThousands + ")$");
  static const re2::RE2 kGroup("^[0-9]{3}(?:[^0-9]|$)");
  static const re2::RE2 kSign("(?:^|[ \t:=])(?:-|\xe2\x88\x92)$");
  if (before.empty() || number.empty() || before.back() == spelled) {
    return false;
  }
  if (number.front() == '-' || number.front() == '+') {
    return re2::RE2::PartialMatch(before, "(?:[0-9.][eE]|\\.[0-9]*[dD])$");
  }
  if (number.front() == '.') {
    return re2::RE2::PartialMatch(before, kDigits);
  }
  return is_digit(number.front()) &&
         (re2::RE2::PartialMatch(before, kDigits) || re2::RE2::PartialMatch(before, kPoint) ||
          re2::RE2::PartialMatch(before, kExponent) || re2::RE2::PartialMatch(before, kHex) ||
          re2::RE2::PartialMatch(before, kSign) ||
          (re2::RE2::PartialMatch(before, kThousands) && re2::RE2::PartialMatch(number, kGroup)));
}

// Whether the number is a part of one with _ between thousands, as 1 and 250 of 1_250. 1250_128,
// run_12_345, run-12_345 and 1_25 are names.
bool is_cut_by_underscore(const std::string& before,
                          const std::string& number,
                          const std::string& behind) {
  static const std::string kBegin = "(?:^|[^A-Za-z0-9_.-]|(?:^|[^A-Za-z_.])-)";
  static const re2::RE2 kHead(kBegin + "([1-9][0-9]{0,2}(?:_[0-9]{3})*_)$");
  static const re2::RE2 kStart(kBegin + "$");
  static const re2::RE2 kFirst("^[-+]?[1-9][0-9]{0,2}(?:_[0-9]{3})*$");
  static const re2::RE2 kGroups("^[0-9]{3}(?:_[0-9]{3})*(?:\\.[0-9]*)?$");
  static const re2::RE2 kRest("^(?:_[0-9]{3})+(?:[^0-9_]|$)");
  static const re2::RE2 kEnd("^(?:[^0-9_]|$)");
  const bool goes_on = re2::RE2::PartialMatch(behind, kRest);
  return re2::RE2::PartialMatch(before, kHead)
             ? re2::RE2::PartialMatch(number, kGroups) &&
                   (goes_on || re2::RE2::PartialMatch(behind, kEnd))
             : goes_on && re2::RE2::PartialMatch(before, kStart) &&
                   re2::RE2::PartialMatch(number, kFirst);
}

// What multiplies the number before it by a power of ten, "x10^-3", or with a raised exponent. A
// part of a regular expression.
constexpr const char* kPower =
    " ?(?:[x*]|\xc3\x97|\xc2\xb7) ?10(?:(?:\\^|\\*\\*)[-0-9]*|"
    "[\xc2\xb9\xc2\xb2\xc2\xb3\xe2\x81\xb0\xe2\x81\xb4-\xe2\x81\xb9\xe2\x81\xbb]+)";

// Whether what follows the number belongs to it: digits, ",500", ".5", "e-05", Fortran's "D-05",
// ",23,456" of lakhs, "x10" of "0x10". With a point in the number a comma separates, and so it does
// in "10,5,7" and in "10,12.5".
bool is_cut_behind(const std::string& behind, const std::string& number, char spelled) {
  static const re2::RE2 kRest("^(?:[0-9]|\\.[0-9]|[eE][-+]?[0-9])");
  static const re2::RE2 kComma(std::string("^(?:,(?:[0-9]{3}(?:[^0-9]|$)|[0-9]+(?:[^0-9.,]|$))|") +
                               kBetweenThousands + "[0-9]{3}(?:[^0-9]|$))");
  static const re2::RE2 kOther(
      "^[-+]?(?:[0-9]*\\.[0-9]*[dD][-+][0-9]|0[xX][0-9a-fA-F]|"
      "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?:[^0-9,]|$))");
  static const re2::RE2 kTimes(std::string("^") + kPower);
  if (behind.empty() || number.empty() || behind.front() == spelled ||
      (!is_digit(number.back()) && number.back() != '.')) {
    return false;
  }
  return re2::RE2::PartialMatch(behind, kRest) || re2::RE2::PartialMatch(behind, kTimes) ||
         re2::RE2::PartialMatch(number + behind, kOther) ||
         (number.find('.') == std::string::npos && re2::RE2::PartialMatch(behind, kComma));
}

// Whether a time goes on: "0" of "0:39:56", "1" of "1m2.5s".
bool is_time_cut(const std::string& behind) {
  static const re2::RE2 kRest(
      "^(?::[0-9]{2}(?:[^0-9]|$)|[hm][0-9]|"
      " ?(?:h|min|m) ?[0-9]+(?:\\.[0-9]+)? ?(?:s|sec|min|m)\\b)");
  return re2::RE2::PartialMatch(behind, kRest);
}

// The parts of a time that end where its rest begins: "1:" of "1:02.5", "1h 2m " of "1h 2m 3s",
// "1 day, " of "1 day, 0:01:05"; "" for none. A decimal, "1.5 m 3 s", the end of a name, "opt-125m
// 3 s", and hours or minutes with a comma, "5 min, 3 s", are no parts. What has another unit,
// "5:12.5 ms", "12 m 3 s/it", is no rest.
// - spelled: what the pattern has there; spaces and commas do not show that its author knew.
std::string time_head(const std::string& before,
                      const std::string& rest,
                      const std::string& spelled) {
  static const std::string kBegin = "(?:^|[^A-Za-z0-9_.:-])(";
  static const std::string kEnd = "(?:[^A-Za-z_/]|$)";
  static const std::string kDay = "[0-9]+ ?d(?:ays?)?,? ?";
  static const std::string kHour = "(?:" + kDay + ")?[0-9]+ ?h(?:rs?|ours?)? ?";
  static const std::string kMinute = "(?:" + kHour + ")?[0-9]+ ?m(?:ins?|inutes?)?(?: and)? ?";
  static const re2::RE2 kClock(kBegin + "(?:[0-9]+:)?[0-9]+:)$");
  static const re2::RE2 kClockRest("^[0-9]{2}(?:[^0-9]|$)");
  static const re2::RE2 kOtherUnit("^[0-9.]+ ?(?:[nmu\xc2\xb5\xce\xbc]+s|[A-Za-z]+/)");
  static const re2::RE2 kDays(kBegin + kDay + ")$");
  static const re2::RE2 kDaysRest("^[0-9]+(?: ?h(?:rs?|ours?)?" + kEnd + "|:[0-9]{2})");
  static const re2::RE2 kHours(kBegin + kHour + ")$");
  static const re2::RE2 kHoursRest("^[0-9]+ ?m(?:ins?|inutes?)?" + kEnd);
  static const re2::RE2 kMinutes(kBegin + "(?:" + kHour + "|" + kMinute + "))$");
  static const re2::RE2 kMinutesRest("^[0-9]+(?:\\.[0-9]*)? ?s(?:ecs?|econds?)?" + kEnd);
  static const re2::RE2 kLetters(kBegin + "(?:[0-9]+h)?[0-9]+[hm])$");  // "1h" of "1h30"
  static const re2::RE2 kLettersRest("^[0-9]");
  std::string head;
  const auto is_time = [&](const re2::RE2& parts, const re2::RE2& others) {
    return re2::RE2::PartialMatch(before, parts, &head) && re2::RE2::PartialMatch(rest, others);
  };
  const bool is_part = (is_time(kClock, kClockRest) && !re2::RE2::PartialMatch(rest, kOtherUnit)) ||
                       is_time(kDays, kDaysRest) || is_time(kHours, kHoursRest) ||
                       is_time(kMinutes, kMinutesRest) || is_time(kLetters, kLettersRest);
  const bool is_known = spelled.find_last_not_of(" ,") != std::string::npos;
  const bool is_zero = head.find_first_of("123456789") == std::string::npos;  // "0m" of "0m2.5s"
  return is_part && !is_known && !is_zero ? head : "";
}

// The number with what is beside it that may belong to it.
// - head: the parts of a time before it; "" for none.
// - has_letters: whether it is part of a time like "1m2.5s".
std::string whole_number_text(std::string_view line,
                              std::string_view number,
                              const std::string& head,
                              bool has_letters) {
  constexpr std::string_view parts = "0123456789.,:";
  const auto at = static_cast<std::size_t>(number.data() - line.data());
  std::size_t begin = at - head.size();
  while (begin > 0 && parts.find(line[begin - 1]) != std::string_view::npos) {
    --begin;
  }
  static const re2::RE2 kThousands(std::string("((?:[0-9]{1,3}(?:_|") + kBetweenThousands +
                                   "))+)$");
  re2::StringPiece thousands;
  if (re2::RE2::PartialMatch(line.substr(0, begin), kThousands, &thousands)) {
    begin -= thousands.size();
  }
  static const re2::RE2 kHead(
      "(?:([-+]?[0-9.]+[eEdD][-+]?|0[xX][0-9a-fA-F.]*)|(?:^|[ \\t:=])([-+]|\xe2\x88\x92))$");
  re2::StringPiece mantissa;
  re2::StringPiece sign;
  if (re2::RE2::PartialMatch(line.substr(0, begin), kHead, &mantissa, &sign)) {
    begin -= mantissa.size() + sign.size();
  }
  std::size_t end = at + number.size();
  static const re2::RE2 kRest(std::string("^((?:[0-9.,:]|(?:_|") + kBetweenThousands +
                              ")[0-9]{3})*(?:" + kPower +
                              "|[eE][-+]?[0-9]+|[dD][-+][0-9]+|[xX][0-9a-fA-F.]+)?)");
  static const re2::RE2 kTimeRest(
      "^([0-9.,:]*(?: ?(?:h|hours?|m|mins?|minutes?|s|secs?|seconds?)(?:,? ?[0-9.]+"
      "(?: ?(?:m|mins?|minutes?|s|secs?|seconds?)\\b)?)*)?)(?:[^A-Za-z]|$)");
  re2::StringPiece rest;
  if (re2::RE2::PartialMatch(line.substr(end), has_letters ? kTimeRest : kRest, &rest)) {
    end += rest.size();
  }
  const auto ends_whole = [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80U; };
  while (end > at + number.size() && !ends_whole(static_cast<unsigned char>(line[end - 1]))) {
    --end;
  }
  return std::string(line.substr(begin, end - begin));
}

// Where a letter behind blanks names nothing that follows, as M does in "5 M = 3" and "5 M 3".
constexpr const char* kPartEnd = "(?:[ \t]*[,;|)\\]]|[ \t]*\\.?$)";

// "3.20K" is another number than "3.20", unless the unit has the K, as in GB for "1.5G". So are
// "3.20 K ms" before a unit of the rule, and "3.20 K" and "3.20 K tok/s" in a known unit: in others
// K may be kelvins.
// - known: what the pattern itself has behind blanks there.
void refuse_suffix(std::string_view number,
                   std::string_view behind,
                   const ExtractRule& rule,
                   const std::string& known) {
  static const re2::RE2 kSuffix("^([kKMGT])(?:[^A-Za-z0-9_]|$)");
  static const re2::RE2 kApart(std::string("^[ \t]+([kKMGT])(?:") + kPartEnd +
                               "|[ \t]+[A-Za-z]+/[A-Za-z])");
  static const re2::RE2 kBeforeUnit("^([ \t]+([kKMGT]))[ \t]");
  std::string multiple;
  std::string suffix;
  const bool has_suffix =
      re2::RE2::PartialMatch(behind, kSuffix, &suffix) ||
      (parse_printed_unit(rule.unit) && re2::RE2::PartialMatch(behind, kApart, &suffix)) ||
      (re2::RE2::PartialMatch(behind, kBeforeUnit, &multiple, &suffix) &&
       begins_with_unit(rule, behind.substr(multiple.size())));
  if (!has_suffix || known.starts_with(suffix) || rule.unit.starts_with(suffix) ||
      (rule.unit.starts_with('k') && suffix == "K") ||
      (rule.unit.starts_with('K') && suffix == "k")) {
    return;
  }
  throw BadNumber(fmt::format(
      "'{0}' is followed by '{1}': is it {0} {3} or {0} {2} {3}? Let the program print it in full; "
      "if {0} {3}, write what is next to it into the regex",
      number,
      suffix,
      suffix == "M"   ? "million"
      : suffix == "G" ? "billion"
      : suffix == "T" ? "trillion"
                      : "thousand",
      rule.unit));
}

// A time of "5 m" is in minutes, and one of "5 S" in seconds.
void refuse_letter(std::string_view number, std::string_view behind, const ExtractRule& rule) {
  static const re2::RE2 kLetter(std::string("^[ \t]*([mS])") + kPartEnd);
  std::string letter;
  if (!re2::RE2::PartialMatch(behind, kLetter, &letter)) {
    return;
  }
  if (const std::string unit = letter == "m" ? "min" : "s"; unit != rule.unit) {
    throw BadNumber(
        fmt::format("'{0}' is followed by '{1}': is it {0} {2} or {0} {3}? If {0} {3}, write unit: "
                    "{3}; if {0} {2}, write what is next to it into the regex",
                    number,
                    letter,
                    rule.unit,
                    unit));
  }
}

[[noreturn]] void throw_part(std::string_view number, const std::string& whole) {
  throw BadNumber(
      fmt::format("'{0}' is only a part of '{1}': is it {0} or {1}? If {1}, widen the group; if "
                  "{0}, write what is next to it into the regex",
                  number,
                  whole));
}

}  // namespace

GroupBorders find_borders(const std::string& regex, int group) {
  std::vector<int> open;  // numbers of the groups that are open; 0: one that captures nothing
  GroupBorders borders;
  int count = 0;
  bool is_in_class = false;
  for (std::size_t i = 0; i < regex.size(); ++i) {
    const char c = regex[i];
    if (c == '\\') {
      ++i;
    } else if (is_in_class || c == '[') {
      is_in_class = c != ']';
    } else if (c == '(') {
      const bool captures = regex.compare(i, 2, "(?") != 0 || regex.compare(i, 4, "(?P<") == 0;
      open.push_back(captures ? ++count : 0);
      if (open.back() == group) {
        borders.before = literals_before(regex, i);
      }
    } else if (c == ')' && !open.empty()) {
      const std::size_t next = i + 1 < regex.size() && regex[i + 1] == '\\' ? i + 2 : i + 1;
      if (open.back() == group && next < regex.size()) {
        borders.behind = literal(regex, next);
        borders.known = known_behind(regex, i + 1);
      }
      open.pop_back();
    }
  }
  return borders;
}

void refuse_part(std::string_view line,
                 std::string_view number,
                 const ExtractRule& rule,
                 const GroupBorders& borders) {
  constexpr std::size_t near = 64;  // bytes; a line may have a million
  const auto at = static_cast<std::size_t>(number.data() - line.data());
  const std::string_view before = line.substr(at - std::min(at, near), std::min(at, near));
  const std::string_view behind = line.substr(at + number.size(), near);
  const Notation notation(rule);
  const std::string text = notation.plain(number);
  const std::string rest = notation.plain(behind);
  const std::optional<PrintedUnit> unit = parse_printed_unit(rule.unit);
  const bool is_time = unit && unit->kind == PrintedUnit::Kind::kTime;
  const char spelled = borders.before.empty() ? '\0' : borders.before.back();
  const std::string head =
      is_time ? time_head(notation.plain(before), text + rest, borders.before) : "";
  const bool goes_on = is_time && !behind.starts_with(borders.behind) && is_time_cut(rest);
  if (goes_on || !head.empty() ||
      is_cut_before(notation.plain(before), text, notation.plain(spelled)) ||
      is_cut_behind(rest, text, notation.plain(borders.behind)) ||
      (spelled != '_' && borders.behind != '_' &&
       is_cut_by_underscore(notation.plain(before), text, rest))) {
    const bool has_letters =
        head.empty() ? goes_on && !rest.starts_with(':') : !head.ends_with(':');
    throw_part(number, whole_number_text(line, number, head, has_letters));
  }
  if (const std::string whole = number_with_blanks(before, number, behind, rule, borders);
      !whole.empty()) {
    throw_part(number, whole);
  }
  if (!behind.starts_with(borders.behind)) {  // else the regex knows of it
    refuse_suffix(number, behind, rule, borders.known);
    if (is_time) {
      refuse_letter(number, behind, rule);
    }
  }
  refuse_other_unit(before, number, behind, rule, borders.known);
}

}  // namespace scalestudy
