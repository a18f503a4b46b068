// What `plan` says of memory.
#pragma once

#include <string>

#include "harness/run/attempt/memory_plan.h"

namespace scalestudy {

// "memory: at most 1.2 GB, 2 ranks of 0.6 GB each (estimate, devices=2); 3.4 GB are available now";
// with what GPUs' ranks pin of the host's, and that trials will end as oom where one does not hold
// it.
std::string memory_text(const MemoryNeed& need);

// "the most model.layers that fit 80.0 GB a rank, calculated: ddp 3, with checkpoint_every=1 5;
// ..." and what the number is; "" of a model without layers. Where no number is known, what to
// declare.
std::string largest_models_text(const MemoryNeed& need);

}  // namespace scalestudy
