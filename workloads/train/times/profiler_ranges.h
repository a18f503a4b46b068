// Steps and phases as ranges for a profiler that reads NVTX, such as NVIDIA Nsight Systems.
#pragma once

#include <string>

namespace scalestudy::train {

// Opens a range inside those that this thread has open, and closes the innermost; by the host's
// clock: a profiler shows beside it what the device did. Without a profiler they do nothing, and
// nothing at all where this was built without NVTX's headers, which the CUDA Toolkit has.
void begin_range(const std::string& name);
void end_range();

}  // namespace scalestudy::train
