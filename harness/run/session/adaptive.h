// When a study with `trials: {until}` has run enough. Pure, so that a resumed run decides alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/run/world/world.h"

namespace scalestudy {

// Means of a cell's ok trials, by block.
using BlockMeans = std::map<std::int64_t, TrialMean>;

// The last block that has to be run: the first by which the rule has stopped every measured cell.
// Cells of one comparison stop together, since unequal numbers of trials cover less.
// - cells: an entry for each measured cell. A cell without an ok trial (a setting that is not
//   supported, say) has nothing to be precise about and holds up no other.
// - complete_blocks: blocks 0 .. complete_blocks - 1 have no trial left to run; later ones are not
//   looked at.
// - returns: absent when more blocks have to be run.
std::optional<std::int64_t> last_needed_block(const std::vector<BlockMeans>& cells,
                                              std::int64_t complete_blocks,
                                              const PrecisionRule& precision);

// The means in order of block.
std::vector<TrialMean> mean_values(const BlockMeans& means);

}  // namespace scalestudy
