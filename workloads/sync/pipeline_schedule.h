// The order in which a stage of a pipeline computes the parts of a batch.
#pragma once

#include <cstddef>
#include <vector>

namespace scalestudy::sync {

// A pass of one micro-batch through a stage.
struct StagePass {
  bool is_forward;
  std::size_t part;  // the micro-batch, from 0

  bool operator==(const StagePass&) const = default;
};

// One forward, one backward: stage r of p begins with p - 1 - r forwards, then alternates a forward
// and a backward, then does the remaining backwards. source: Narayanan et al., SOSP 2019
// (PipeDream), and SC 2021, section 2.2.1, with a flush after each batch.
//   stage  in [0, stages); stages, parts  >= 1
std::vector<StagePass> one_forward_one_backward(std::size_t stage,
                                                std::size_t stages,
                                                std::size_t parts);

// The most micro-batches of which a stage keeps what backward needs: min(p - r, parts).
std::size_t parts_in_flight(std::size_t stage, std::size_t stages, std::size_t parts);

// The share of a step in which a stage is idle if all passes of all stages take equally long and
// messages take no time: (p - 1) / (parts + p - 1). source: Narayanan et al., SC 2021, section
// 2.2.1, but as a share of the step, not of the ideal time.
double ideal_bubble(std::size_t stages, std::size_t parts);

}  // namespace scalestudy::sync
