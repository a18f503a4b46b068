// Whether variables that were to set a library up did, and whether links were as asked.
#pragma once

#include <optional>
#include <string>

#include "harness/analysis/observe/observation.h"
#include "harness/text/words.h"

namespace scalestudy {

enum class SettingState {
  kApplied,      // in every trial, as their program found
  kOverridden,   // the library had another value, or did not go by it, in some trial
  kUnconfirmed,  // the program does not say
  kNotSeen,      // the library knows no such variable, in some trial
};

template <>
inline constexpr std::string_view kWords<SettingState> = "applied|overridden|unconfirmed|not seen";

// What trials call the setting that a parameter asks for: the variable of "env.<variable>",
// "interconnect.bandwidth" of that. Empty for any other parameter, and where the default is asked
// for.
std::string setting_of(const CellRow::Parameter& parameter);

// Of a cell that asks for that setting.
SettingState setting_state(const CellObservation& cell, const std::string& setting);

// A variable of NCCL or Open MPI: whether one was applied is asked.
bool is_of_library(const std::string& setting);

struct Doubt {
  std::string text;  // "env.OMPI_MCA_coll_tuned_allreduce_algorithm=4 overridden"
  SettingState state = SettingState::kOverridden;
};

// Of the environment variables in which two cells differ, and of the links of both, one that was
// not applied, else a library's that is unconfirmed: what the cells differ by is then not known to
// be that variable. Absent where all were applied.
std::optional<Doubt> doubt_of_settings(const CellObservation& base, const CellObservation& cell);

}  // namespace scalestudy
