// The rules of reporting that the report breaks.
#include <string>
#include <utility>
#include <vector>

#include "harness/report/rules/lint.h"
#include "harness/report/sections/sections.h"
#include "harness/text/text.h"

namespace scalestudy::report {

Section lint_section() {
  using enum TagKind;
  return {{{"lint", kList, "rules of reporting that this report breaks"},
           {"lint.rule", kText, "base case, trials, intervals ..."},
           {"lint.finding", kText, "what breaks it"},
           {"lint.advice", kText, "what to do"},
           {"lint_kept", kText, "names of the rules that are kept"}},
          [](View& view, const ReportInput& input, const Figures&) {
            View::List rows;
            std::vector<std::string> kept;
            for (const LintResult& result : lint(input)) {
              if (result.state == LintState::kKept) {
                kept.push_back(in_words(result.rule));
              } else if (result.state == LintState::kBroken) {
                View row;
                row.set_text("rule", in_words(result.rule));
                row.set_text("finding", result.finding);
                row.set_text("advice", result.advice);
                rows.push_back(std::move(row));
              }
            }
            view.set_list("lint", std::move(rows));
            view.set_text("lint_kept", join(kept, ", "));
          }};
}

}  // namespace scalestudy::report
