// Trials that somebody took out of all results.
#pragma once

#include <cstdint>
#include <set>

#include "harness/store/store.h"

namespace scalestudy {

// Ids of the study's attempts whose last annotation, notes aside, excludes them. They are invalid,
// but did not fail.
std::set<std::int64_t> excluded_by_hand(const Store& store, std::int64_t study_id);

}  // namespace scalestudy
