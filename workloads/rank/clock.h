// The clock steps are timed with.
#pragma once

#include <chrono>

namespace scalestudy::rank {

// Seconds, monotonic, arbitrary zero; comparable within one process only.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace scalestudy::rank
