// The parameters that trials of a stored cell saw: conditions and settings among them.
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

// The name under which trials report the setting that a parameter requests: the variable for
// "env.<variable>", "interconnect.bandwidth" for that parameter. Empty for other parameters, and if
// the default is requested.
std::string setting_of(const CellRow::Parameter& parameter);

// Whether the setting is a variable of NCCL or Open MPI, which have to confirm it.
bool is_of_library(const std::string& setting);

}  // namespace scalestudy
