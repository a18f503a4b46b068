// Whether variables for libraries were applied, and whether links were as requested.
#pragma once

#include <optional>
#include <string>

#include "harness/analysis/observe/observation.h"
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

// The name under which trials report the setting that a parameter requests: the variable for
// "env.<variable>", "interconnect.bandwidth" for that parameter. Empty for other parameters, and if
// the default is requested.
std::string setting_of(const CellRow::Parameter& parameter);

// The state of a setting in a cell that requests it.
SettingState setting_state(const CellObservation& cell, const std::string& setting);

// Whether the setting is a variable of NCCL or Open MPI, which have to confirm it.
bool is_of_library(const std::string& setting);

struct Doubt {
  std::string text;  // "env.OMPI_MCA_coll_tuned_allreduce_algorithm=4 overridden"
  SettingState state = SettingState::kOverridden;
  CellIds cells;  // the sides that request a setting in doubt as much
};

// A reason to doubt that two cells differ as declared. Among the environment variables in which
// they differ and the links of both: one that was not applied, else a library's that is
// unconfirmed. Absent if all were applied.
std::optional<Doubt> doubt_of_settings(const CellObservation& base, const CellObservation& cell);

}  // namespace scalestudy
