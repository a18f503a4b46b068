// Waits before a trial until the machine is idle, as long as the study allows.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/host/machine.h"
#include "harness/run/machine/load.h"
#include "harness/run/world/world.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// What the machine does while no trial runs, over `seconds`.
struct MachineLook {
  Load load;
  std::vector<Reading> readings;
};

// Watches the machine for `seconds`.
MachineLook look_at(Machine& machine, const Clock& clock, const Sleep& sleep, double seconds);

// How long a look of the gate takes. Counters tick in 10 ms on each core: 3 % of two cores are
// three ticks then.
inline constexpr double kIdleLookS = 0.5;

// Holds trials back while the machine is busy.
class IdleGate {
 public:
  IdleGate(const Validity& limits, Machine& machine, const Clock& clock, Sleep sleep);

  struct Wait {
    double waited_s = 0.0;  // length of the wait, its looks included
    std::string busy;       // what still keeps the machine busy after the wait; "": it is idle
  };
  // Waits until the machine is idle, for validity.idle_wait at most; returns at once if the study
  // has no wait. GPUs are idle only when two looks in a row find the same clocks, within 2 %:
  // clocks fall for seconds after a trial. A wait in vain halves the next one, until the machine is
  // idle again: if it never is, a session waits twice validity.idle_wait in all.
  // - tell: called once when a wait begins, with its reason.
  // - stop: ends the wait when set.
  Wait wait(bool uses_gpus,
            const std::function<void(const std::string& why)>& tell,
            const std::atomic<bool>& stop);

 private:
  [[nodiscard]] std::string what_is_busy(bool uses_gpus);
  // How GPU clocks moved since the look before: "gpu0_sm_clock_hz went from 1980 to 345 MHz"; ""
  // when they stay.
  [[nodiscard]] std::string moving_clocks(const std::vector<Reading>& readings);

  const Validity& limits_;
  Machine& machine_;
  const Clock& clock_;
  Sleep sleep_;
  double longest_s_;
  std::map<std::string, double> clocks_hz_;  // GPU clocks at this wait's previous look
};

}  // namespace scalestudy
