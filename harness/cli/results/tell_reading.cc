#include "harness/cli/results/tell_reading.h"

#include <string>

#include <fmt/format.h>

#include "harness/analysis/observe/observe.h"
#include "harness/analysis/threats/threats.h"
#include "harness/base/paths.h"
#include "harness/report/rules/advice.h"
#include "harness/text/number.h"

namespace scalestudy {

void tell_reading(const Store& store,
                  std::int64_t study_id,
                  const Study& study,
                  Terminal& terminal) {
  for (const auto& row :
       store
           .query("SELECT text, count(*) FROM log WHERE stream = 'event' AND text LIKE "
                  "'extract: %' GROUP BY text ORDER BY text")
           .rows) {
    terminal.note(fmt::format("{} ({})",
                              std::get<std::string>(row.at(0)),
                              format_count(std::get<std::int64_t>(row.at(1)), "trial")));
  }
  for (const ThreatRow& threat : command_threats(observe(store, study_id, study), study)) {
    if (threat.kind == ThreatKind::kUnknownWork) {
      continue;  // told of the study, before anything is read
    }
    terminal.warn(fmt::format("{} ({}, \"{}\")",
                              threat.finding,
                              shared_file("docs/how-to/warnings.md").string(),
                              report::threat_heading(threat.kind)));
  }
}

}  // namespace scalestudy
