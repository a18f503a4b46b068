// Reads the values of --blocks and --settle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// First and last block, counted from 0, of "3" or "3-5", which count from 1; absent for "". Blocks
// that were added to the plan in the store count as blocks of the study. Throws Error{kUsage} for
// any other text, and for a study that stops by its results: one part cannot decide when the others
// end.
std::optional<std::pair<std::int64_t, std::int64_t>> read_blocks(const std::string& text,
                                                                 const Study& study,
                                                                 const Store& store);

// How long the blocks of --settle may take, in seconds: without end for "" and "true", its value
// when none is given. Throws Error{kUsage} if the text is no duration above 0.
double settle_budget_s(const std::string& text);

}  // namespace scalestudy
