// How a run is told to end.
#pragma once

#include <atomic>

namespace scalestudy {

// Set by the handlers, read by the launcher's loop.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler has no argument
extern std::atomic<bool> stop_requested;

// SIGINT, SIGTERM and a terminal that is closed ask for a stop; the running trial goes back to the
// plan. Nobody reading our chatter any more is no reason to end.
void install_stop_handlers();

}  // namespace scalestudy
