// What a study's trials need of the machine (`validity`), and what is looked at before them.
#pragma once

#include <optional>
#include <string_view>

#include "harness/text/words.h"

namespace scalestudy {

// What becomes of a trial that ran beside more foreign load, or on slower clocks, than the study
// allows: it counts and is marked; it is kept apart and run again; it is and the run ends.
enum class DisturbancePolicy { kFlag, kRequeue, kAbort };

template <>
inline constexpr std::string_view kWords<DisturbancePolicy> = "flag|requeue|abort";

// When a fixed product is timed that tells whether the machine is still the same.
enum class Calibration { kNone, kBlocks };

template <>
inline constexpr std::string_view kWords<Calibration> = "none|blocks";

// Which workloads get a confirm run, for cells that set NCCL variables: train and collective, all
// or none.
enum class Confirm { kBuiltIn, kAlways, kNever };

template <>
inline constexpr std::string_view kWords<Confirm> = "built_in|always|never";

// What a trial needs of the machine. Shares in [0, 1]. Judged by the machine's counters alone: a
// trial's own step times have no part in it.
struct Validity {
  DisturbancePolicy policy = DisturbancePolicy::kFlag;
  int requeues = 2;               // of a trial, at most
  double foreign_load = 0.03;     // of the cores, what other processes may take
  double throttled = 0.0;         // of the time, what heat or the power supply may slow clocks
  double gpu_utilization = 0.05;  // before a trial begins
  double gpu_memory = 0.10;       // likewise, in use
  // Before each trial, at most, for a machine that is that idle; absent: see idle_wait().
  std::optional<double> idle_wait_s;
  Calibration calibration = Calibration::kBlocks;
  Confirm confirm = Confirm::kBuiltIn;

  // 0: no wait. Where trials are requeued by default a minute.
  double idle_wait() const {
    return idle_wait_s.value_or(policy == DisturbancePolicy::kRequeue ? 60.0 : 0.0);
  }
};

}  // namespace scalestudy
