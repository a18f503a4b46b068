// Stored trials and series -> observation.
#pragma once

#include <cstdint>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Reads one series at a time, so that a study of 10 M samples needs the memory of its summaries.
// Throws Error{kStore} when the store has no study of that id.
StudyObservation observe(const Store& store, std::int64_t study_id, const Study& study);

}  // namespace scalestudy
