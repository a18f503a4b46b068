// When a study with `trials: {until}` has run enough. Pure, so that a resumed run decides alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/run/run_study.h"

namespace scalestudy {

// Mean step times of a cell's ok trials, by block.
using BlockMeans = std::map<std::int64_t, double>;

// The last block that has to be run: two after the first complete block at which every measured
// cell had at least trials.min ok trials and was known well enough. Absent: none yet, go on.
//   cells            one entry for each measured cell, empty while it has no ok trial.
//   complete_blocks  blocks 0 .. complete_blocks - 1 have no trial left to run.
//   source           statistics.md 8: the extra blocks bring coverage back to the nominal level;
//   cells of
//                    one comparison stop together.
std::optional<std::int64_t> last_needed_block(const std::vector<BlockMeans>& cells,
                                              std::int64_t complete_blocks,
                                              const Trials& trials,
                                              const PrecisionRule& precision);

// The means of blocks 0 .. last, in order.
std::vector<double> means_until(const BlockMeans& means, std::int64_t last);

}  // namespace scalestudy
