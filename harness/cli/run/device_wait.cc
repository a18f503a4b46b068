#include "harness/cli/run/device_wait.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/run/command/launch_command.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

void wait_for_devices(DeviceLocks& locks,
                      const Study& study,
                      Machine& machine,
                      bool is_patient,
                      const std::atomic<bool>& stop,
                      Terminal& terminal) {
  if (study.is_remote()) {
    return;  // it uses none of this machine's
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of the harness changes its environment
  if (std::getenv("SCALESTUDY_TRIAL") != nullptr) {
    return;  // a trial of a run that has them
  }
  std::vector<std::string> devices = machine.cpu_names();
  if (std::ranges::any_of(expand(study).cells,
                          [&](const Cell& cell) { return may_use_gpu(study, cell); })) {
    std::ranges::move(machine.gpu_names(), std::back_inserter(devices));
  }
  const std::string holder = fmt::format("pid {} of user {} on {} since {}, study {}",
                                         getpid(),
                                         getuid(),
                                         machine.host_name(),
                                         SystemClock().utc_now(),
                                         study.name);
  bool is_told = false;
  while (const auto other = locks.take(devices, holder)) {
    const std::string what = fmt::format("another run measures on this machine: {}", *other);
    if (!is_patient) {
      throw Error(ErrorKind::kLocked,
                  what +
                      ". Wait for it, or run on other CPUs and GPUs (taskset, "
                      "CUDA_VISIBLE_DEVICES)");
    }
    if (!is_told) {
      terminal.note(what + "; waiting until it is done (--no-wait does not)");
      is_told = true;
    }
    if (stop.load()) {
      throw Error(ErrorKind::kInterrupted, "stopped while waiting; nothing has been run");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  if (!locks.problem().empty()) {
    terminal.note(fmt::format(
        "{}. Other runs on this machine and this one cannot wait for each other (SCALESTUDY_LOCKS "
        "names another folder)",
        locks.problem()));
  }
}

}  // namespace scalestudy
