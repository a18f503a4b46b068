// Removal of studies from a store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Studies in the store whose name no study may have (is_study_name). Another program wrote them;
// all other functions ignore them, but they can be removed.
std::vector<StudyRow> misnamed_studies(const std::filesystem::path& results);

// Removes a study with everything that belongs to it. The caller holds the run lock.
void remove_study(const std::filesystem::path& results, std::int64_t study_id);

}  // namespace scalestudy
