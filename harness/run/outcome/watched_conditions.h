// What must never be on stdout or stderr, of metrics that have their values from the other one.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

#include "harness/run/outcome/stored_rule.h"
#include "harness/run/output/output_text.h"
#include "harness/run/values/condition_check.h"

namespace scalestudy {

class WatchedConditions {
 public:
  // - readers: of metrics, each with `conditions` and `is_settled`.
  template <typename Readers>
  WatchedConditions(Readers& readers, const Source& source) {
    for (auto& reader : readers) {
      for (ConditionCheck& condition : reader.conditions) {
        if (reader.is_settled && condition.is_never() && source.file.empty() && !source.is_log) {
          conditions_.push_back(&condition);
        }
      }
    }
  }

  void feed(const std::string& text, const Source& source, std::size_t line) const {
    for (ConditionCheck* condition : conditions_) {
      condition->feed(text, source.name(), line);
    }
  }

  // Reads a stream that nothing else reads.
  void read(std::istream& output, const Source& source) const {
    if (!conditions_.empty()) {
      for_each_line(output,
                    [&](const std::string& text, std::size_t line) { feed(text, source, line); });
    }
  }

 private:
  std::vector<ConditionCheck*> conditions_;
};

}  // namespace scalestudy
