// Reads what NCCL told our profiler plugin (workloads/profiler/FORMAT.md).
#pragma once

#include <istream>

#include "harness/run/nccl/nccl_trace.h"

namespace scalestudy {

// Adds to `trace` what the plugin wrote for one process. Text of another format, and lines that the
// format does not have, are passed over.
void read_nccl_profile(std::istream& lines, NcclTrace& trace);

}  // namespace scalestudy
