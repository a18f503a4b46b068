// The learning rate of each step.
#pragma once

#include <cstddef>

#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The options' learning rate, multiplied by the number of ranks or its square root as rate_scale
// says. During the first rate_warmup_steps steps it rises linearly from the unscaled rate; the step
// after them has the scaled one. After each milestone it is a tenth of what it was.
// source: Goyal et al., arXiv 1706.02677: sections 2.1 (linear scaling rule), 2.2 (gradual warm-up)
// and 5.1 (a tenth after epochs 30, 60 and 80); of the square root: Krizhevsky, arXiv 1404.5997.
//   step  from 0, warm-up steps of the timing included
double learning_rate(const Options& options, std::size_t step);

}  // namespace scalestudy::train
