// What a study's trials need of the machine (`validity`), and what is checked before them.
#pragma once

#include <optional>
#include <string_view>

#include "harness/text/words.h"

namespace scalestudy {

// A trial shorter than this, in seconds, cannot show that others took little of the machine: one
// tick of its counters, 10 ms on every core, is then more than the 3 % of the cores that analysis
// looks for.
inline constexpr double kShortestLoadS = 0.34;

// Load by others, as a share of a machine's cores. Above the first, analysis asks what it did to
// the results. Above the second, more than desktops and services take at rest, it is called heavy,
// and reports and `run` warn that numbers are not worth much.
inline constexpr double kLoadShare = 0.03;
inline constexpr double kHeavyLoadShare = 0.10;

// What becomes of a trial with more foreign load, or slower clocks, than the study allows. kFlag:
// it counts and is marked; kRequeue: it is kept apart and run again; kAbort: it is kept apart and
// the run ends.
enum class DisturbancePolicy { kFlag, kRequeue, kAbort };

template <>
inline constexpr std::string_view kWords<DisturbancePolicy> = "flag|requeue|abort";

// When a fixed matrix product is timed, to see whether the machine has changed speed.
enum class Calibration { kNone, kBlocks };

template <>
inline constexpr std::string_view kWords<Calibration> = "none|blocks";

// Which workloads get a confirm run, for cells that set NCCL variables. kBuiltIn: train and
// collective.
enum class Confirm { kBuiltIn, kAlways, kNever };

template <>
inline constexpr std::string_view kWords<Confirm> = "built_in|always|never";

// What a trial needs of the machine; shares are in [0, 1]. The machine's counters alone decide: the
// trial's own step times do not matter.
struct Validity {
  DisturbancePolicy policy = DisturbancePolicy::kFlag;
  int requeues = 2;                  // most requeues of one trial
  double foreign_load = kLoadShare;  // most of the cores that other processes may take
  double throttled = 0.0;            // most of the time with clocks slowed by heat or power supply
  double gpu_utilization = 0.05;     // most utilization of a GPU before a trial begins
  double gpu_memory = 0.10;          // most memory of a GPU in use before a trial begins
  // Longest wait before each trial for a machine that is idle enough; absent: see idle_wait().
  std::optional<double> idle_wait_s;
  Calibration calibration = Calibration::kBlocks;
  Confirm confirm = Confirm::kBuiltIn;

  // Seconds to wait at most, 0 for no wait. By default a minute if trials are requeued.
  double idle_wait() const {
    return idle_wait_s.value_or(policy == DisturbancePolicy::kRequeue ? 60.0 : 0.0);
  }
};

}  // namespace scalestudy
