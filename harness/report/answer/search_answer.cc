#include "harness/report/answer/search_answer.h"

#include <algorithm>

namespace scalestudy::report {

std::vector<Answer> search_answer(const ReportInput& input) {
  const auto best =
      std::ranges::find(input.results.search_settings, true, &SearchSettingRow::is_recommended);
  return best == input.results.search_settings.end()
             ? std::vector<Answer>()
             : std::vector<Answer>{{AnswerKind::kUse, "Use", best->finding}};
}

}  // namespace scalestudy::report
