// Stored trials and series -> observation.
#pragma once

#include <cstdint>
#include <set>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Observes a stored study. One series is in memory at a time, so that a study of 10 M samples needs
// only the memory of its summaries. Throws Error{kStore} if the store has no study with that id.
// - former: ids of cells to observe although the study no longer has them
StudyObservation observe(const Store& store,
                         std::int64_t study_id,
                         const Study& study,
                         const std::set<std::int64_t>& former = {});

}  // namespace scalestudy
