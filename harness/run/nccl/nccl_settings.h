// Whether NCCL did what the variables that were to set it up ask for.
#pragma once

#include <string>

#include "harness/run/nccl/nccl_trace.h"

namespace scalestudy {

// Compares the trace of a run with what one variable asked for. What counts as a trace of which
// variable: docs/evidence/nccl-traces.md. A variable that allows something (NCCL_NVLS_ENABLE=1)
// counts as applied if that was in use. That NCCL read a value is no trace of it.
// - variable: its name, "NCCL_ALGO".
// - asked: its value, in NCCL's own grammar: "Ring", "^NVLS", "allreduce:tree,ring;broadcast:ring".
FoundSetting find_setting(const NcclTrace& trace,
                          const std::string& variable,
                          const std::string& asked);

}  // namespace scalestudy
