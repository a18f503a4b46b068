// Takes what other results folders have into one.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"

namespace scalestudy {

// All of them or, when one cannot be merged, none; tells what was taken of each, and makes results
// anew. Holds the run lock of `results` meanwhile. Throws as merge() of
// harness/store/merge/merge.h.
//   are_parts  of one plan, run by jobs: what each projected from its own blocks stays there.
void merge_into(const std::string& results,
                const std::vector<std::string>& sources,
                Terminal& terminal,
                bool are_parts = false);

}  // namespace scalestudy
