// The values CMake configured.
#include "harness/base/build_info.h"

#include "scalestudy_build.h"

namespace scalestudy {

BuildInfo build_info() {
  return BuildInfo{.version = SCALESTUDY_BUILD_VERSION,
                   .revision = SCALESTUDY_BUILD_REVISION,
                   .compiler = SCALESTUDY_BUILD_COMPILER,
                   .flags = SCALESTUDY_BUILD_FLAGS,
                   .preset = SCALESTUDY_BUILD_PRESET,
                   .cuda = SCALESTUDY_BUILD_CUDA,
                   .has_workloads = SCALESTUDY_ENABLE_MPI == 1,
                   .source_dir = SCALESTUDY_BUILD_SOURCE_DIR};
}

}  // namespace scalestudy
