// What the results can not bear.
#include <algorithm>

#include "harness/report/sections/sections.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

View::List threats(const ReportInput& input) {
  std::vector<const ThreatRow*> ordered;
  for (const ThreatRow& threat : input.results.threats) {
    if (threat.kind != ThreatKind::kUndecided) {  // the answer says it
      ordered.push_back(&threat);
    }
  }
  std::stable_partition(ordered.begin(), ordered.end(), [](const ThreatRow* threat) {
    return threat->severity == Severity::kWarning;
  });
  View::List rows;
  for (const ThreatRow* threat : ordered) {
    View row;
    row.set_text("severity", to_word(threat->severity));
    row.set_text("kind", in_words(to_word(threat->kind)));
    row.set_text("finding", threat->finding);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Section threats_section() {
  using enum TagKind;
  return {{{"threats", kList, "what the results can not bear, warnings first"},
           {"threats.severity", kText, "warning or note"},
           {"threats.kind", kText, "drift, foreign load, few trials ..."},
           {"threats.finding", kText, "a sentence"}},
          [](View& view, const ReportInput& input, const FigurePaths&) {
            view.set_list("threats", threats(input));
          }};
}

}  // namespace scalestudy::report
