// Imported trials, of which some things are not known.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Says what is known of imported trials, and numbers those that are observed by it, as blocks of
// one plan: declared blocks by their first launch, others by the order of launch. In the cells of a
// merged store no two are then equal.
void observe_imported(const std::vector<TrialRow>& trials, StudyObservation& observation);

}  // namespace scalestudy
