// Merges other results folders into one.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"

namespace scalestudy {

// Merges all `sources` into the store of `results` or, if one cannot be merged, none: then it makes
// no store and no folder either. Notes what was taken from each, and computes the results anew.
// Holds the run lock of `results` meanwhile.
// - are_parts: the sources are jobs of one plan; what a job projected from its own blocks is not
//   taken, nor its text of the study.
// - throws: as merge() of harness/store/merge/merge.h.
void merge_into(const std::string& results,
                const std::vector<std::string>& sources,
                Terminal& terminal,
                bool are_parts = false);

}  // namespace scalestudy
