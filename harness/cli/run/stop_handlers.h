// The signal handlers that let a user stop or pause a run.
#pragma once

#include "harness/base/stop.h"

namespace scalestudy {

// SIGINT, SIGTERM and a closed terminal set `stop_requested`, after which the running trial goes
// back to the plan; asked again, the program ends at once. While ^Z has it stopped, is_suspended()
// is true. SIGPIPE is ignored: a run goes on if nobody reads its messages any more.
// - cleans_up: whether trials have a cleanup, for what is told then.
void install_stop_handlers(bool cleans_up);

}  // namespace scalestudy
