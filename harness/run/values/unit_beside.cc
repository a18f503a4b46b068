#include "harness/run/values/unit_beside.h"

#include <algorithm>
#include <optional>

#include <re2/re2.h>

#include "harness/run/values/printed_unit.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// The name of the number that follows: what is between it and the number before with its unit.
std::string own_name(std::string_view before) {
  static const re2::RE2 kOther(
      "^.*(?:^|[^A-Za-z0-9_.])[0-9][0-9.,:]* ?([A-Za-z\xc2\xb5\xce\xbc/]*)(.*)$");
  std::string unit;
  std::string name;
  if (!re2::RE2::FullMatch(before, kOther, &unit, &name)) {
    return std::string(before);
  }
  return parse_printed_unit(unit) ? name : unit + name;
}

// Whether the unit after a number is the label of the next one, with which `rest` begins. A rule
// reads no number of steps, so that "step 12.5 sec/step 3" has a unit.
bool labels_next(std::string_view before,
                 std::string_view unit,
                 std::string_view rest,
                 bool is_column) {
  static const re2::RE2 kStep("(?i:step|iter|iteration|it|batch)[\"']?[ :=]*$");
  std::string name = own_name(before);
  const std::optional<PrintedUnit> known = parse_printed_unit(unit);
  if (known && known->kind == PrintedUnit::Kind::kTimePer && re2::RE2::PartialMatch(name, kStep)) {
    name.clear();
  }
  return is_next_label(name, unit, rest, is_column);
}

// Whether the word that the text begins with is the label of the next number. In another column,
// behind a tab or two blanks, any unit can be. Elsewhere only "min", rates, words with a slash and,
// where all numbers have names, "tps: 512.3 ms: 101.2", a word before a colon can be.
bool has_next_label(std::string_view before, std::string_view text, bool is_column) {
  static const re2::RE2 kWord("^([^ \t:=,;|]+)");
  static const re2::RE2 kNamed("^[^ \t:=,;|]+ ?[:=] *[-+]?\\.?[0-9]");
  static const re2::RE2 kName("[:=] *[\"']?$");
  std::string word;
  if (!re2::RE2::PartialMatch(text, kWord, &word)) {
    return false;
  }
  const bool is_list =
      re2::RE2::PartialMatch(text, kNamed) && re2::RE2::PartialMatch(own_name(before), kName);
  const std::optional<PrintedUnit> unit = parse_printed_unit(word);
  const bool is_rate = unit && unit->kind == PrintedUnit::Kind::kPerTime;
  return ((is_column && unit) || word == "min" || is_rate || word.find('/') != std::string::npos ||
          is_list) &&
         labels_next(before, word, text.substr(word.size()), is_column);
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  static const re2::RE2 kBlanks("(?:[ \t]|\xc2\xa0|\xe2\x80\x89|\xe2\x80\xaf)*");
  re2::StringPiece rest(text.data(), text.size());
  re2::RE2::Consume(&rest, kBlanks);
  return {rest.data(), rest.size()};
}

bool begins_column(std::string_view text) {
  const std::string_view gap = text.substr(0, text.size() - without_blanks(text).size());
  return gap.find('\t') != std::string_view::npos || gap.find("  ") != std::string_view::npos;
}

UnitBeside unit_behind(std::string_view before, std::string_view behind) {
  static const std::string kLetters = "[A-Za-z\xc2\xb5\xce\xbc]+";
  static const std::string kEnd = "(?:[^A-Za-z0-9_/]|$)";
  static const re2::RE2 kUnit("^(" + kLetters + "(?:/[0-9]*[A-Za-z]+)?)" + kEnd);
  static const std::string kCount = "([0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)";
  static const re2::RE2 kRatio("^((" + kLetters + ")(?:(?: / | per )" + kCount +
                               " ?|/([0-9][0-9,]*) )([A-Za-z]+))" + kEnd);
  static const re2::RE2 kPerSecond("^(per (?i:s|secs?|seconds?))" + kEnd);
  static const re2::RE2 kBrackets("^([(\\[] *(" + kLetters + "(?:/[A-Za-z]+)?) *[)\\]])");
  const std::string_view text = without_blanks(behind);
  const bool is_column = begins_column(behind);
  if (text.size() < behind.size() && has_next_label(before, text, is_column)) {
    return {};
  }
  UnitBeside found;
  std::string count;
  std::string glued;  // "100" of "ms/100 steps"
  std::string below;
  if (re2::RE2::PartialMatch(text, kRatio, &found.text, &found.unit, &count, &glued, &below)) {
    count += glued;
    std::erase(count, ',');
    const bool has_total = !count.empty() && parse_printed_unit(below);  // "3 ms / 100 ms"
    found.unit += has_total ? "" : "/" + count + below;
  } else if (re2::RE2::PartialMatch(text, kPerSecond, &found.text)) {
    found.unit = "Hz";
  } else if (re2::RE2::PartialMatch(text, kBrackets, &found.text, &found.unit) &&
             found.unit == "min") {
    return {};
  }
  if (parse_printed_unit(found.unit)) {
    const std::string_view rest = text.substr(found.text.size());
    return labels_next(before, found.unit, rest, is_column) ? UnitBeside{} : found;
  }
  std::string unit;
  re2::RE2::PartialMatch(text, kUnit, &unit);
  return {.text = unit, .unit = unit};
}

bool begins_with_unit(const ExtractRule& rule, std::string_view behind) {
  const auto kind_of = [](const PrintedUnit& unit) {
    return unit.kind == PrintedUnit::Kind::kTimePer ? PrintedUnit::Kind::kTime : unit.kind;
  };
  const std::string printed = unit_behind("", behind).unit;
  const std::optional<PrintedUnit> own = parse_printed_unit(rule.unit);
  const std::optional<PrintedUnit> found = parse_printed_unit(printed);
  return !printed.empty() &&
         (printed == rule.unit || (own && found && kind_of(*own) == kind_of(*found)));
}

UnitBeside unit_in_brackets(std::string_view before) {
  static const re2::RE2 kBracket(
      "[(\\[] *([A-Za-z\xc2\xb5\xce\xbc/]+) *[)\\]][\"']? *[:=]? *[\"']?$");
  std::string unit;
  re2::RE2::PartialMatch(before, kBracket, &unit);
  return {.text = unit, .unit = unit};
}

UnitBeside unit_in_name(std::string_view before) {
  static const std::string kEnd = "[\"']? ?[:=] *[\"']?$";
  static const std::string kCounted =
      "(?i:its?|iters?|iterations?|steps?|batch(?:es)?|samples?|images?|imgs?|examples?|seqs?|"
      "sequences?|toks?|tokens?|frames?|words?|sentences?)";
  static const re2::RE2 kPer(
      "(([A-Za-z0-9]*)(?:[_ ]per[_ ]|Per)([A-Za-z]+)(?:[_ ]per[_ ][A-Za-z]+)?)" + kEnd);
  static const re2::RE2 kSlash("(?:^|[^A-Za-z0-9])((" + kCounted +
                               ")/((?i:s|secs?|seconds?))(?:/[A-Za-z]+)?)" + kEnd);
  static const re2::RE2 kWord(
      "(?:^|[ _\"'])(ns|us|ms|(?i:[num]?sec|secs|seconds)|fps|FPS|[kMG]?Hz|[kKMGT]i?B)" + kEnd);
  UnitBeside found;
  std::string above;
  std::string below;
  if (re2::RE2::PartialMatch(before, kPer, &found.text, &above, &below) ||
      re2::RE2::PartialMatch(before, kSlash, &found.text, &above, &below)) {
    found.unit = above + "/" + lowered(below);
  } else if (re2::RE2::PartialMatch(before, kWord, &found.text)) {
    found.unit = found.text;
  }
  return found;
}

}  // namespace scalestudy
