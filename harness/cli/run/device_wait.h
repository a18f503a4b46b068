// Lets `run` wait for CPUs and GPUs on which another run is measuring.
#pragma once

#include <atomic>

#include "harness/cli/terminal.h"
#include "harness/host/machine.h"
#include "harness/run/process/device_locks.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Locks the CPUs that this process may use and, if the study's trials may use GPUs, the GPUs it
// sees. If another run holds one, names that run and waits. If locks cannot be taken here, says so
// and returns. A run within a trial of another run locks nothing.
// - is_patient: if false, does not wait but throws Error{kLocked}, which names the holder.
// - stop: once it is set, waiting ends with Error{kInterrupted}.
void wait_for_devices(DeviceLocks& locks,
                      const Study& study,
                      Machine& machine,
                      bool is_patient,
                      const std::atomic<bool>& stop,
                      Terminal& terminal);

}  // namespace scalestudy
