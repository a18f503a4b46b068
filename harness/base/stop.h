// Whether this process was asked to end, by ^C or as a job, or to pause, by ^Z.
#pragma once

#include <atomic>

#include <sys/mman.h>

namespace scalestudy {

// Set by the handlers of cli/run/stop_handlers.h; read by whatever waits for another program.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler has no argument
inline std::atomic<bool> stop_requested{false};

// Set while its user has it stopped: shared with processes that are forked after the first call.
inline std::atomic<bool>& is_suspended() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): shared to be written to
  static void* const kShared = mmap(nullptr,
                                    sizeof(std::atomic<bool>),
                                    PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS,
                                    -1,
                                    0);
  static std::atomic<bool> alone{false};
  return kShared == MAP_FAILED ? alone : *static_cast<std::atomic<bool>*>(kShared);
}

}  // namespace scalestudy
