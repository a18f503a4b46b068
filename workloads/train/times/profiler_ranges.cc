#include "workloads/train/times/profiler_ranges.h"

#ifdef SCALESTUDY_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace scalestudy::train {

#ifdef SCALESTUDY_NVTX

void begin_range(const std::string& name) {
  nvtxRangePushA(name.c_str());
}

void end_range() {
  nvtxRangePop();
}

#else

void begin_range(const std::string& /*name*/) {}

void end_range() {}

#endif

}  // namespace scalestudy::train
