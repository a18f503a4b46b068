// What the trials of a stored cell saw.
#pragma once

#include "harness/store/rows/rows.h"
#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {

// Its parameters, over those that the study fixes, over the defaults of the workload. A store of an
// older version keeps no defaults: those that have changed since are what they were when the cell
// was made, which its hash tells.
EffectiveParameters effective_parameters(const CellRow& cell, const Study& study);

}  // namespace scalestudy
