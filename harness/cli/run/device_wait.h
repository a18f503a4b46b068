// `run` waits for the CPUs and GPUs that another run measures on.
#pragma once

#include <atomic>

#include "harness/cli/terminal.h"
#include "harness/host/machine.h"
#include "harness/run/process/device_locks.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Takes the CPUs that this process may use and, for a study whose trials may use GPUs, those that
// it sees. Says who has one and waits, until it is free or `stop` is set. Where locks cannot be
// taken it says so and goes on. A run inside a trial of another run takes nothing.
//   is_patient  false: does not wait, throws Error{kLocked} with the holder.
void wait_for_devices(DeviceLocks& locks,
                      const Study& study,
                      Machine& machine,
                      bool is_patient,
                      const std::atomic<bool>& stop,
                      Terminal& terminal);

}  // namespace scalestudy
