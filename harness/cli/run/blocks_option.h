// The value of --blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// "3" or "3-5", of the study's blocks from 1, as first and last from 0; absent for "". Blocks that
// were added to the plan in the store are the study's, too. Throws
// Error{kUsage} for anything else, and for an adaptive study: what one part of its trials says
// cannot end the others.
std::optional<std::pair<std::int64_t, std::int64_t>> read_blocks(const std::string& text,
                                                                 const Study& study,
                                                                 const Store& store);

}  // namespace scalestudy
