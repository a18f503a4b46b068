// Flags for a user's request to end this process (^C, or SIGTERM to a job) or to pause it (^Z).
#pragma once

#include <atomic>
#include <cstdint>

#include <sys/mman.h>

namespace scalestudy {

// True once the process was asked to end. The handlers of harness/cli/run/stop_handlers.h set it;
// code that waits for another program reads it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler has no argument
inline std::atomic<bool> stop_requested{false};

// True while a user has this process stopped by ^Z. Processes that are forked after the first call
// share the flag.
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

// How long ^Z had this process stopped so far, in milliseconds. The handler adds to it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler has no argument
inline std::atomic<std::int64_t> suspended_ms{0};

}  // namespace scalestudy
