// Whether variables that were to set a library up did, and whether links were as asked.
#pragma once

#include <string>

#include "harness/analysis/observation.h"
#include "harness/base/words.h"

namespace scalestudy {

enum class SettingState {
  kApplied,      // in every trial, as their program found
  kOverridden,   // the library had another value, or did not go by it, in some trial
  kUnconfirmed,  // the program does not say
  kNotSeen,      // the library knows no such variable, in some trial
};

template <>
inline constexpr std::string_view kWords<SettingState> = "applied|overridden|unconfirmed|not_seen";

// What trials call the setting that a parameter asks for: the variable of "env.<variable>",
// "interconnect.bandwidth" of that. Empty for any other parameter, and where the default is asked
// for.
std::string setting_of(const CellRow::Parameter& parameter);

// Of a cell that asks for that setting.
SettingState setting_state(const CellObservation& cell, const std::string& setting);

// Of the environment variables in which two cells differ, and of the links of both, one that was
// not applied: "env.OMPI_MCA_coll_tuned_allreduce_algorithm=4 overridden". Empty where all were, or
// where that is unconfirmed: what the cells differ by is then not that variable.
std::string unapplied_setting(const CellObservation& base, const CellObservation& cell);

}  // namespace scalestudy
