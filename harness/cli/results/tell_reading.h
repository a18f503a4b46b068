// What a check says of outputs that were read, before anything rests on them.
#pragma once

#include <cstdint>

#include "harness/cli/terminal.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Notes what extract rules remarked, and warns as a report of the study would of its output.
// - store: has this study alone.
void tell_reading(const Store& store,
                  std::int64_t study_id,
                  const Study& study,
                  Terminal& terminal);

}  // namespace scalestudy
