#include "harness/analysis/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/study/interconnect.h"

namespace scalestudy {
namespace {

constexpr std::string_view kPrefix = "env.";
constexpr const char* kDefault = "default";

// Canonical text; of a variable that is not set "default".
std::string value_of(const CellRow& cell, const std::string& name) {
  const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  return found == cell.parameters.end() ? kDefault : found->value;
}

}  // namespace

std::string setting_of(const CellRow::Parameter& parameter) {
  if (find_interconnect_parameter(parameter.name) != nullptr) {
    return parameter.value == "0" ? "" : parameter.name;
  }
  return parameter.name.starts_with(kPrefix) && parameter.value != kDefault
             ? parameter.name.substr(kPrefix.size())
             : "";
}

SettingState setting_state(const CellObservation& cell, const std::string& setting) {
  bool is_told = !cell.trials.empty();
  double least = 1.0;
  for (const TrialObservation& trial : cell.trials) {
    const auto found = trial.settings.find(setting);
    is_told = is_told && found != trial.settings.end();
    least = found == trial.settings.end() ? least : std::min(least, found->second);
  }
  if (least < 1.0) {
    return least < 0.0 ? SettingState::kNotSeen : SettingState::kOverridden;
  }
  return is_told ? SettingState::kApplied : SettingState::kUnconfirmed;
}

std::string unapplied_setting(const CellObservation& base, const CellObservation& cell) {
  using Sides = std::pair<const CellObservation*, const CellObservation*>;
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
      if (state == SettingState::kOverridden || state == SettingState::kNotSeen) {
        return parameter.name + "=" + parameter.value + " " + std::string(to_word(state));
      }
    }
  }
  return "";
}

}  // namespace scalestudy
