#include "harness/run/values/condition_check.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/values/line_extractor.h"

namespace scalestudy {

struct ConditionCheck::Pattern {
  explicit Pattern(const std::string& text) : regex(text, re2::RE2::Quiet) {}

  re2::RE2 regex;
};

ConditionCheck::ConditionCheck(const OutputCondition& condition)
    : condition_(&condition), pattern_(std::make_shared<const Pattern>(condition.regex)) {
  if (!pattern_->regex.ok()) {
    throw BadPattern(pattern_->regex.error());
  }
}

void ConditionCheck::feed(const std::string& line, const std::string& source, std::size_t number) {
  if (!problem_.empty()) {
    return;
  }
  std::string told;
  const bool has_group = pattern_->regex.NumberOfCapturingGroups() > 0;
  if (!(has_group ? re2::RE2::PartialMatch(line, pattern_->regex, &told)
                  : re2::RE2::PartialMatch(line, pattern_->regex))) {
    return;
  }
  if (is_never()) {
    problem_ =
        fmt::format("{} line {}: {}: {}", source, number, condition_->what, condition_->instead);
  } else if (first_ && (condition_->kind == ConditionKind::kOnce ||
                        (condition_->kind == ConditionKind::kSame && told != *first_))) {
    problem_ = fmt::format("{} line {}: a second {} in one trial{}: {}",
                           source,
                           number,
                           condition_->what,
                           told.empty() ? "" : fmt::format(", {} after {}", told, *first_),
                           condition_->instead);
  }
  first_ = first_.value_or(told);
}

bool ConditionCheck::is_missing() const {
  return condition_->kind == ConditionKind::kNeeds && !first_;
}

std::string ConditionCheck::problem() const {
  return is_missing()
             ? fmt::format("no line of the output is {}: {}", condition_->what, condition_->instead)
             : problem_;
}

}  // namespace scalestudy
