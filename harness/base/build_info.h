// What this program was built from; written into every session.
#pragma once

#include <string>

namespace scalestudy {

struct BuildInfo {
  std::string version;   // "0.1.0"
  std::string revision;  // git describe, "-dirty" when the tree had changes; "unknown" outside git
  std::string compiler;  // "GNU 12.2.0"
  std::string flags;     // C++ flags of the configuration
  std::string preset;    // CMake preset, "none" without one
  std::string cuda;      // what the configuration found of CUDA
  std::string source_dir;  // tree it was built from; data/ and templates/ are looked for there last
};

BuildInfo build_info();

}  // namespace scalestudy
