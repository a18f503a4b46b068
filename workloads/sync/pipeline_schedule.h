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

// One forward, one backward: stage r of p begins with p - 1 - r forwards, then a forward and a
// backward in turn, then the backwards that are left. source: Narayanan et al., SOSP 2019
// (PipeDream), and SC 2021, section 2.2.1, with a flush behind each batch.
//   stage  in [0, stages); stages, parts  >= 1
std::vector<StagePass> one_forward_one_backward(std::size_t stage,
                                                std::size_t stages,
                                                std::size_t parts);

// Micro-batches of which a stage keeps what backward needs, at most: min(p - r, parts).
std::size_t parts_in_flight(std::size_t stage, std::size_t stages, std::size_t parts);

// Of a step's time that a stage is idle where all passes of all stages take as long and handing on
// takes no time: (p - 1) / (parts + p - 1). source: Narayanan et al., SC 2021, section 2.2.1, as a
// share of the step instead of over the ideal time.
double ideal_bubble(std::size_t stages, std::size_t parts);

}  // namespace scalestudy::sync
