// The build of this program: sources, compiler, flags. Every session stores it.
#pragma once

#include <string>

namespace scalestudy {

struct BuildInfo {
  std::string version;     // "0.1.0"
  std::string revision;    // git describe, "-dirty" for uncommitted changes; "unknown" outside git
  std::string compiler;    // "GNU 12.2.0"
  std::string flags;       // C++ flags of the configuration
  std::string preset;      // CMake preset, "none" without one
  std::string cuda;        // the CUDA Toolkit that CMake found, or that there was none
  bool has_workloads;      // whether train and collective were built: they need MPI and oneDNN
  std::string source_dir;  // source tree of the build, where shared_file() looks last
};

BuildInfo build_info();

}  // namespace scalestudy
