// Reads what NCCL told our profiler plugin (workloads/profiler/FORMAT.md).
#pragma once

#include <istream>

#include "harness/run/nccl/nccl_trace.h"

namespace scalestudy {

// Adds what one process wrote. Text that does not begin as that format does, and lines that it does
// not have, say nothing.
void read_nccl_profile(std::istream& lines, NcclTrace& trace);

}  // namespace scalestudy
