// Takes the effects of blocks out of the values of several cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct BlockAdjusted {
  Status status = Status::kInsufficientData;
  std::vector<double> values;  // y less the effect of its block; their mean is that of y
  std::size_t df = 0;          // degrees of freedom that the effects took: blocks - 1
};

// Least squares of y = cell + block, both as factors, for complete and incomplete blocks.
//
//   y       one value per trial, on the scale on which blocks add (logarithms of times).
//   cell    the cell of each value; any numbers, as long as y. `block` likewise.
//   status  insufficient_data: no values, or cells that no chain of common blocks connects, so that
//           a block's effect cannot be told from a cell's; invalid_input: a value that is not
//           finite, unequal lengths.
//   source  two-way layout without interaction, by elimination of the larger factor: time is cubic
//           in the number of cells or of blocks, whichever are fewer.
BlockAdjusted take_out_blocks(std::span<const double> y,
                              std::span<const std::int64_t> cell,
                              std::span<const std::int64_t> block);

}  // namespace scalestudy::stats
