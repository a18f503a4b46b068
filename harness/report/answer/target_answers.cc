#include "harness/report/answer/target_answers.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/text/text.h"

namespace scalestudy::report {

std::size_t target_cells(const ReportInput& input, const std::string& name) {
  return static_cast<std::size_t>(std::count_if(
      input.results.targets.begin(), input.results.targets.end(), [&](const TargetResultRow& row) {
        return row.name == name && row.cell_id.has_value();
      }));
}

std::vector<const TargetResultRow*> distinct_targets(const ReportInput& input) {
  std::vector<const TargetResultRow*> targets;
  for (const TargetResultRow& target : input.results.targets) {
    if (!target.cell_id || target_cells(input, target.name) < 2) {
      targets.push_back(&target);
    }
  }
  return targets;
}

std::string target_summary(const ReportInput& input) {
  std::map<TargetVerdict, int> counts;
  std::vector<std::string> failed;
  for (const TargetResultRow* target : distinct_targets(input)) {
    ++counts[target->verdict];
    if (target->verdict != TargetVerdict::kMet) {
      failed.push_back(target->name);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [verdict, count] : counts) {
    texts.push_back(fmt::format("{} {}", count, to_word(verdict)));
  }
  return join(texts, ", ") + (failed.empty() ? "" : " (" + join(failed, "; ") + ")");
}

}  // namespace scalestudy::report
