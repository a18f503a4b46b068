// What `plan` says about the memory that trials need.
#pragma once

#include <string>

#include "harness/run/attempt/memory_plan.h"

namespace scalestudy {

// "memory: at most 1.2 GiB, 2 ranks of 614 MiB each (estimate, 2 devices); 3.4 GiB are available
// now". Adds the host memory that ranks on GPUs pin, and warns if the host or a GPU holds less than
// that, so that trials will end as oom.
std::string memory_text(const MemoryNeed& need);

// "the most model.layers that fit 79.65 GiB a rank, calculated: ddp 3, with checkpoint_every=1 5;
// ...", where the 79.65 GiB come from, and how many are tried if some take that many. If no memory
// size is known, the text says what to declare. "" for a model without layers.
std::string largest_models_text(const MemoryNeed& need);

}  // namespace scalestudy
