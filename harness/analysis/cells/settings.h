// Whether variables for libraries were applied, and whether links were as requested.
#pragma once

#include <optional>
#include <string>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/setting_state.h"

namespace scalestudy {

// The state of a setting in a cell that requests it.
SettingState setting_state(const CellObservation& cell, const std::string& setting);

struct Doubt {
  std::string text;  // "env.OMPI_MCA_coll_tuned_allreduce_algorithm=4 overridden"
  SettingState state = SettingState::kOverridden;
  // The sides that request a setting in doubt as much; the cell, not its base, also for less.
  CellIds cells;
};

// A reason to doubt that two cells differ as declared. Among the environment variables in which
// they differ and the links of both: one that was not applied, else a library's that is
// unconfirmed. Absent if all were applied.
std::optional<Doubt> doubt_of_settings(const CellObservation& base, const CellObservation& cell);

}  // namespace scalestudy
