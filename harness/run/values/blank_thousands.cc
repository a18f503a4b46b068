#include "harness/run/values/blank_thousands.h"

#include <re2/re2.h>

#include "harness/run/values/unit_beside.h"
#include "harness/text/quantity.h"

namespace scalestudy {

std::string number_with_blanks(std::string_view before,
                               std::string_view number,
                               std::string_view behind,
                               const ExtractRule& rule,
                               const GroupBorders& borders) {
  static const std::string kGroups = "([1-9][0-9]{0,2}(?: [0-9]{3})* )$";
  static const re2::RE2 kHead("(?:^|[ \t=]|[^0-9]:)" + kGroups);
  static const re2::RE2 kHeadOfTime(
      "(?i)(?:\\bdt|time|duration|latency|took|elapsed)[a-z_]*(?: ?\\([a-z]+\\))?(?: ?[:=])? ?" +
      kGroups);
  static const re2::RE2 kFirst("[-+]?[1-9][0-9]{0,2}(?: [0-9]{3})*");
  static const re2::RE2 kLast("[0-9]{3}(?:[.,][0-9]+)?");
  static const re2::RE2 kRest("^((?: [0-9]{3})+(?:[.,][0-9]+)?)[^0-9.,]");
  const bool is_time = seconds_per_unit(rule.unit.substr(0, rule.unit.find('/'))).has_value();
  std::string head;
  std::string rest;
  if (borders.behind != ' ' && borders.known.empty() && re2::RE2::FullMatch(number, kFirst)) {
    re2::RE2::PartialMatch(behind, kRest, &rest);
  }
  if (!borders.before.ends_with(' ') && re2::RE2::FullMatch(number, kLast)) {
    const bool has_zero = number.front() == '0';
    if (has_zero || is_time) {
      re2::RE2::PartialMatch(before, has_zero ? kHead : kHeadOfTime, &head);
    }
  }
  return (head.empty() && rest.empty()) || !begins_with_unit(rule, behind.substr(rest.size()))
             ? ""
             : head + std::string(number) + rest;
}

}  // namespace scalestudy
