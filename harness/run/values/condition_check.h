// A condition of a preset against the lines of a program's output.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

class ConditionCheck {
 public:
  // - condition: outlives the check. Throws BadPattern if its pattern is no regular expression.
  explicit ConditionCheck(const OutputCondition& condition);

  // Looks at the line with that number of a stream or file.
  void feed(const std::string& line, const std::string& source, std::size_t number);

  // How the lines break the condition, the first time that they do; "" if they keep it.
  [[nodiscard]] std::string problem() const;

  // Whether no line may match.
  [[nodiscard]] bool is_never() const { return condition_->kind == ConditionKind::kNever; }

  // Whether a line is needed that is not there: then the output is another program's.
  [[nodiscard]] bool is_missing() const;

 private:
  struct Pattern;

  const OutputCondition* condition_;
  std::shared_ptr<const Pattern> pattern_;
  std::optional<std::string> first_;  // what the first line that matches tells
  std::string problem_;
};

}  // namespace scalestudy
