// Threats from variables that were to set libraries up.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/cells/settings.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// "NCCL_ALGO=Tree not seen in 4 cells (first: 1 device, batch 8); ..."
std::string list_settings(const std::map<std::string, std::vector<const CellRow*>>& settings) {
  std::vector<std::string> texts;
  for (const auto& [setting, cells] : settings) {
    const std::string first = describe_cell(*cells.front());
    texts.push_back(setting + " in " +
                    (cells.size() == 1
                         ? first
                         : std::to_string(cells.size()) + " cells (first: " + first + ")"));
  }
  return list_some(texts);
}

}  // namespace

std::vector<ThreatRow> setting_threats(const StudyObservation& observation) {
  std::map<std::string, std::vector<const CellRow*>> unapplied;  // cells by setting
  std::set<std::string> unconfirmed;
  for (const CellObservation& cell : observation.cells) {
    for (const CellRow::Parameter& parameter : cell.row.parameters) {
      const std::string setting = setting_of(parameter);
      if (setting.empty() || cell.trials.empty()) {
        continue;
      }
      const SettingState state = setting_state(cell, setting);
      if (state == SettingState::kOverridden || state == SettingState::kNotSeen) {
        unapplied[name_parameter(parameter) + " " + std::string(to_word(state))].push_back(
            &cell.row);
      } else if (state == SettingState::kUnconfirmed && parameter.varied &&
                 is_of_library(setting)) {
        unconfirmed.insert(parameter.name);
      }
    }
  }
  std::vector<ThreatRow> threats;
  if (!unapplied.empty()) {
    threats.push_back(
        {ThreatKind::kUnappliedSettings,
         Severity::kWarning,
         "Settings that were asked for were not applied: " + list_settings(unapplied) +
             ". Differences of such cells do not come from that setting, and no "
             "verdict credits it. The trials' logs say what was found instead."});
  }
  if (!unconfirmed.empty()) {
    threats.push_back(
        {ThreatKind::kUnconfirmedSettings,
         Severity::kNote,
         "Nothing shows whether the library applied these settings: " +
             join(std::vector<std::string>(unconfirmed.begin(), unconfirmed.end()), ", ") +
             ". No verdict credits them. The trials' logs say what was looked for."});
  }
  return threats;
}

}  // namespace scalestudy
