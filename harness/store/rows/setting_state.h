// What became of a setting that a cell asks for, by what its trials found.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "harness/text/words.h"

namespace scalestudy {

enum class SettingState {
  kApplied,      // applied in every trial, as their program found
  kOverridden,   // in some trial the library had another value, or did not use it
  kUnconfirmed,  // the program does not say
  kNotSeen,      // in some trial the library did not know the variable
};

template <>
inline constexpr std::string_view kWords<SettingState> = "applied|overridden|unconfirmed|not seen";

// - found: the fact "setting.NAME" of each trial that counts: 1 applied, 0 overridden, -1 not seen;
//   absent for a trial that does not say.
inline SettingState setting_state(const std::vector<std::optional<double>>& found) {
  double least = 1.0;
  bool is_told = !found.empty();
  for (const std::optional<double>& trial : found) {
    least = std::min(least, trial.value_or(1.0));
    is_told &= trial.has_value();
  }
  if (least < 1.0) {
    return least < 0.0 ? SettingState::kNotSeen : SettingState::kOverridden;
  }
  return is_told ? SettingState::kApplied : SettingState::kUnconfirmed;
}

}  // namespace scalestudy
