// Trials that somebody took out of all results.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// Why attempts are excluded, by id: those whose last annotation, notes aside, excludes them. They
// are invalid, but did not fail.
// - annotations: each trial's in order of their ids
std::map<std::int64_t, std::string> excluded_trials(const std::vector<AnnotationRow>& annotations);

// Their ids, of one study.
std::set<std::int64_t> excluded_by_hand(const Store& store, std::int64_t study_id);

}  // namespace scalestudy
