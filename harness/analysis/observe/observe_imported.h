// Imported trials, of which some things are not known.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Records what is known of imported trials, and numbers the observed ones accordingly, as blocks of
// one plan: declared blocks by their first launch, others by the order of launch. No two numbers
// are then equal within a cell of a merged store.
void observe_imported(const std::vector<TrialRow>& trials, StudyObservation& observation);

}  // namespace scalestudy
