// A study with what runs added to it.
#pragma once

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The study with the additions that the store holds for its name; unchanged if the store has no
// such study.
Study with_additions(Study study, const Store& store);

}  // namespace scalestudy
