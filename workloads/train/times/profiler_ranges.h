// Steps and phases as ranges for a profiler that reads NVTX, such as NVIDIA Nsight Systems.
#pragma once

#include <string>

namespace scalestudy::train {

// begin_range() opens a range inside those that this thread has open, end_range() closes the
// innermost. Ranges follow the host's clock; a profiler shows beside them what the device did.
// Without a profiler, or without NVTX's headers (of the CUDA Toolkit) at build time, they do
// nothing.
void begin_range(const std::string& name);
void end_range();

}  // namespace scalestudy::train
