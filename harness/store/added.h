// A study with what runs added to it.
#pragma once

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// With the store's additions to the study of that name; none where the store has no such study.
Study with_additions(Study study, const Store& store);

}  // namespace scalestudy
