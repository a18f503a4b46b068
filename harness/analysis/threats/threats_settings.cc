// Threats from variables that were to set libraries up.
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/cells/settings.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/text.h"

namespace scalestudy {

std::vector<ThreatRow> setting_threats(const StudyObservation& observation) {
  std::vector<std::string> unapplied;
  std::set<std::string> unconfirmed;
  for (const CellObservation& cell : observation.cells) {
    for (const CellRow::Parameter& parameter : cell.row.parameters) {
      const std::string setting = setting_of(parameter);
      if (setting.empty() || cell.trials.empty()) {
        continue;
      }
      const SettingState state = setting_state(cell, setting);
      if (state == SettingState::kOverridden || state == SettingState::kNotSeen) {
        unapplied.push_back(describe_cell(cell.row) + ": " + name_parameter(parameter) + " " +
                            std::string(to_word(state)));
      } else if (state == SettingState::kUnconfirmed && parameter.varied &&
                 is_of_library(setting)) {
        unconfirmed.insert(parameter.name);
      }
    }
  }
  std::vector<ThreatRow> threats;
  if (!unapplied.empty()) {
    threats.push_back({ThreatKind::kUnappliedSettings,
                       Severity::kWarning,
                       "Settings that were asked for were not applied: " + list_some(unapplied) +
                           ". What such cells differ by is not that setting, and no verdict "
                           "credits it; the trials' logs say what was found instead."});
  }
  if (!unconfirmed.empty()) {
    threats.push_back(
        {ThreatKind::kUnconfirmedSettings,
         Severity::kNote,
         "Whether these settings were applied is unconfirmed, as nothing shows what the library "
         "made of them: " +
             join(std::vector<std::string>(unconfirmed.begin(), unconfirmed.end()), ", ") +
             ". No verdict credits them. What was looked for stands in the trials' logs; NCCL's "
             "own "
             "log of a command is looked at where validity.confirm is always."});
  }
  return threats;
}

}  // namespace scalestudy
