// What the results can not bear.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/rules/advice.h"
#include "harness/report/sections/sections.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

std::vector<ThreatRow> warnings_first(const ReportInput& input) {
  std::vector<ThreatRow> ordered = input.results.threats;
  std::erase_if(ordered, [](const ThreatRow& threat) {
    return threat.kind == ThreatKind::kUndecided;  // the answer says it
  });
  std::stable_partition(ordered.begin(), ordered.end(), [](const ThreatRow& threat) {
    return threat.severity == Severity::kWarning;
  });
  return ordered;
}

View::List threats(const ReportInput& input) {
  View::List rows;
  for (const ThreatRow& threat : warnings_first(input)) {
    View& row = rows.emplace_back();
    row.set_text("severity", to_word(threat.severity));
    row.set_text("kind", in_words(to_word(threat.kind)));
    row.set_text("finding", threat.finding);
  }
  return rows;
}

// Findings of one kind under one heading, with what to do.
View::List threat_kinds(const ReportInput& input) {
  std::vector<std::pair<ThreatRow, std::vector<std::string>>> kinds;  // first row, findings
  for (const ThreatRow& threat : warnings_first(input)) {
    const auto same = std::ranges::find_if(kinds, [&](const auto& kind) {
      return kind.first.kind == threat.kind && kind.first.severity == threat.severity;
    });
    auto& [first, findings] =
        same == kinds.end() ? kinds.emplace_back(threat, std::vector<std::string>()) : *same;
    findings.push_back(threat.finding);
  }
  View::List rows;
  for (const auto& [threat, findings] : kinds) {
    View& row = rows.emplace_back();
    row.set_text("heading", heading_of(threat));
    View::List lines;
    for (const std::string& finding : findings) {
      lines.emplace_back().set_text("finding", finding);
    }
    row.set_list("findings", std::move(lines));
    row.set_text("advice", advice_on(threat.kind));
  }
  return rows;
}

}  // namespace

Section threats_section() {
  using enum TagKind;
  return {{{"threats", kList, "what the results can not bear, warnings first"},
           {"threats.severity", kText, "warning or note"},
           {"threats.kind", kText, "drift, foreign load, few trials ..."},
           {"threats.finding", kText, "a sentence"},
           {"threat_kinds", kList, "the same by kind"},
           {"threat_kinds.heading", kText, "Warning: foreign load"},
           {"threat_kinds.findings", kList, "what was found of that kind"},
           {"threat_kinds.findings.finding", kText, "a sentence"},
           {"threat_kinds.advice",
            kText,
            "what that does to the answer and what to do, as Markdown ({{{advice}}})"}},
          [](View& view, const ReportInput& input, const Figures&) {
            view.set_list("threats", threats(input));
            view.set_list("threat_kinds", threat_kinds(input));
          }};
}

}  // namespace scalestudy::report
