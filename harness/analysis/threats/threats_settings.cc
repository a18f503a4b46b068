// Threats from variables that were to set libraries up.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/cells/settings.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Settings that share their state and cells, by these.
using UnappliedSettings =
    std::map<std::pair<std::string, std::vector<const CellRow*>>, std::vector<std::string>>;

// "NCCL_ALGO=Tree, NCCL_PROTO=Simple not seen in 4 cells (first: 1 device, batch 8); ..."
std::string list_settings(const UnappliedSettings& groups) {
  std::vector<std::string> texts;
  for (const auto& [where, settings] : groups) {
    const auto& [state, cells] = where;
    const std::string first = describe_cell(*cells.front());
    texts.push_back(join(settings, ", ") + " " + state + " in " +
                    (cells.size() == 1
                         ? first
                         : std::to_string(cells.size()) + " cells (first: " + first + ")"));
  }
  return list_some(texts);
}

}  // namespace

std::vector<ThreatRow> setting_threats(const StudyObservation& observation) {
  std::map<std::pair<std::string, std::string>, std::vector<const CellRow*>>
      cells_of;  // by setting and state
  std::set<std::string> unconfirmed;
  std::optional<std::int64_t> told;  // a trial whose start event says what Open MPI did instead
  for (const CellObservation& cell : observation.cells) {
    for (const CellRow::Parameter& parameter : cell.row.parameters) {
      const std::string setting = setting_of(parameter);
      if (setting.empty() || cell.trials.empty()) {
        continue;
      }
      const SettingState state = setting_state(cell, setting);
      if (state == SettingState::kOverridden || state == SettingState::kNotSeen) {
        cells_of[{name_parameter(parameter), std::string(to_word(state))}].push_back(&cell.row);
        const auto trial =
            std::ranges::find_if(cell.trials, [&](const TrialObservation& candidate) {
              const auto found = candidate.settings.find(setting);
              return found != candidate.settings.end() && found->second != 1.0;
            });
        if (!told && setting.starts_with("OMPI_MCA_") && trial != cell.trials.end()) {
          told = trial->row.id;
        }
      } else if (state == SettingState::kUnconfirmed && parameter.varied &&
                 is_of_library(setting)) {
        unconfirmed.insert(parameter.name);
      }
    }
  }
  UnappliedSettings unapplied;
  for (const auto& [setting, cells] : cells_of) {
    unapplied[{setting.second, cells}].push_back(setting.first);
  }
  std::vector<ThreatRow> threats;
  if (!unapplied.empty()) {
    threats.push_back(
        {ThreatKind::kUnappliedSettings,
         Severity::kWarning,
         "Settings that were asked for were not applied: " + list_settings(unapplied) +
             ". Differences of such cells do not come from that setting, and no "
             "verdict credits it. " +
             "The trials' logs say what was found instead" +
             (told ? fmt::format(", of Open MPI `scalestudy logs {} --stream protocol`", *told)
                   : "") +
             "."});
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
