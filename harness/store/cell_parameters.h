// The parameters that trials of a stored cell saw, and those of them that are conditions.
#pragma once

#include <map>
#include <string>

#include "harness/store/rows/rows.h"
#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {

// The cell's own parameters, then those that the study fixes, then the workload's defaults. A store
// of an older version holds no defaults: if one has changed since, the cell's hash tells which
// default it was made with.
EffectiveParameters effective_parameters(const CellRow& cell, const Study& study);

// The cell's varied parameters that the study does not choose, by name: {"failure": "kill_rank"}.
std::map<std::string, std::string> conditions_of(const CellRow& cell, const Study& study);

}  // namespace scalestudy
