// Stored samples -> result rows. Deterministic: the same store gives the same rows.
#pragma once

#include <cstdint>

#include "harness/store/store.h"
#include "harness/study/study.h"

namespace scalestudy {

// All results of one stored study. Reads trials and series, writes nothing.
Results analyse(const Store& store, std::int64_t study_id, const Study& study);

}  // namespace scalestudy
