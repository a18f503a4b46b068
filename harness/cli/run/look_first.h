// What to look at first when trials of a run have failed, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// The three most frequent ways in which trials of the plan failed, each with trial_hints() of one
// such trial. Empty if nothing failed.
// - expects_oom: a search for the largest batch, whose probes run out of memory; they are left out.
std::vector<std::string> look_first_lines(const Store& store,
                                          std::int64_t study_id,
                                          bool expects_oom);

}  // namespace scalestudy
