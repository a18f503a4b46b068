// How a run is told to end.
#pragma once

#include "harness/base/stop.h"

namespace scalestudy {

// SIGINT, SIGTERM and a terminal that is closed ask for a stop; the running trial goes back to the
// plan. Nobody reading our chatter any more is no reason to end.
void install_stop_handlers();

}  // namespace scalestudy
