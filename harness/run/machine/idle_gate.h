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

MachineLook look_at(Machine& machine, const Clock& clock, const Sleep& sleep, double seconds);

// How long a look takes: counters tick in 10 ms on each core, so that of two cores 3 % are three
// ticks.
inline constexpr double kIdleLookS = 0.5;

class IdleGate {
 public:
  IdleGate(const Validity& limits, Machine& machine, const Clock& clock, Sleep sleep);

  struct Wait {
    double waited_s = 0.0;  // kIdleLookS of which is the look
    std::string busy;       // what keeps the machine busy when the wait is over; "": it is idle
  };
  // Idle are GPUs only when two looks in a row find the same clocks, within 2 %: after the trial
  // before they fall for seconds. Nothing is looked at without a wait in the study. A wait in vain
  // halves the next one, until the machine is idle again: on one that never is, a session waits
  // twice validity.idle_wait in all.
  //   tell  is told why it waits, when it begins to.
  //   stop  ends the wait.
  Wait wait(bool uses_gpus,
            const std::function<void(const std::string& why)>& tell,
            const std::atomic<bool>& stop);

 private:
  [[nodiscard]] std::string what_is_busy(bool uses_gpus);
  // "gpu0_sm_clock_hz went from 1980 to 345 MHz" since the look before; "" when they stay.
  [[nodiscard]] std::string moving_clocks(const std::vector<Reading>& readings);

  const Validity& limits_;
  Machine& machine_;
  const Clock& clock_;
  Sleep sleep_;
  double longest_s_;
  std::map<std::string, double> clocks_hz_;  // of the look before in this wait
};

}  // namespace scalestudy
