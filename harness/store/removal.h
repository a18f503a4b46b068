// Studies leave a store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Those called as no study may be (is_study_name): another program wrote them, and nothing else
// takes them for studies. They can be removed.
std::vector<StudyRow> misnamed_studies(const std::filesystem::path& results);

// Removes a study with all that hangs on it. The caller holds the run lock.
void remove_study(const std::filesystem::path& results, std::int64_t study_id);

}  // namespace scalestudy
