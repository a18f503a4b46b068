// Whether NCCL did what the variables that were to set it up ask for.
#pragma once

#include <string>

#include "harness/run/nccl/nccl_trace.h"

namespace scalestudy {

//   variable  "NCCL_ALGO"
//   asked     its value, in NCCL's own grammar: "Ring", "^NVLS",
//             "allreduce:tree,ring;broadcast:ring"
// What counts as a trace of which variable: docs/study-file.md. A variable that allows something
// (NCCL_NVLS_ENABLE=1) counts as applied where that was in use. That NCCL read a value is none.
FoundSetting find_setting(const NcclTrace& trace,
                          const std::string& variable,
                          const std::string& asked);

}  // namespace scalestudy
