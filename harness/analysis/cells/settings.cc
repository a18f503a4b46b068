#include "harness/analysis/cells/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {
namespace {

// Canonical text; of a variable that is not set "default".
std::string value_of(const CellRow& cell, const std::string& name) {
  const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  return found == cell.parameters.end() ? kDefaultValue : found->value;
}

}  // namespace

SettingState setting_state(const CellObservation& cell, const std::string& setting) {
  std::vector<std::optional<double>> states;
  for (const TrialObservation& trial : cell.trials) {
    const auto found = trial.settings.find(setting);
    states.push_back(found == trial.settings.end() ? std::nullopt : std::optional(found->second));
  }
  return setting_state(states);
}

std::optional<Doubt> doubt_of_settings(const CellObservation& base, const CellObservation& cell) {
  using Sides = std::pair<const CellObservation*, const CellObservation*>;
  std::optional<Doubt> wrong;
  std::optional<Doubt> unconfirmed;
  for (const auto& [side, other] : std::array{Sides{&cell, &base}, Sides{&base, &cell}}) {
    for (const CellRow::Parameter& parameter : side->row.parameters) {
      const std::string setting = setting_of(parameter);
      // Without its links a cell is not what it says, whatever it is compared with.
      const bool is_of_links = setting == parameter.name;
      if (setting.empty() ||
          (!is_of_links && parameter.value == value_of(other->row, parameter.name))) {
        continue;
      }
      const SettingState state = setting_state(*side, setting);
      const bool is_unconfirmed = state == SettingState::kUnconfirmed;
      if (state == SettingState::kApplied || (is_unconfirmed && !is_of_library(setting))) {
        continue;
      }
      std::optional<Doubt>& doubt = is_unconfirmed ? unconfirmed : wrong;
      if (!doubt) {
        doubt = Doubt{name_parameter(parameter) + " " + to_word(state), state, {}};
      }
      if (std::ranges::find(doubt->cells, side->row.id) == doubt->cells.end()) {
        doubt->cells.push_back(side->row.id);
      }
    }
  }
  const auto is_of_cell = [&](const std::optional<Doubt>& doubt) {
    return doubt && std::ranges::find(doubt->cells, cell.row.id) != doubt->cells.end();
  };
  // A fault of the base does not remove the doubt about the cell's own values.
  if (wrong && !is_of_cell(wrong) && is_of_cell(unconfirmed)) {
    wrong->cells.push_back(cell.row.id);
  }
  return wrong ? wrong : unconfirmed;
}

}  // namespace scalestudy
