// The moments of one step's communication on its rank's time line, and the times they give.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/device/device.h"

namespace scalestudy::sync {

// The phase in which a rank waits for communication.
enum class Within { kForward, kBackward, kSync, kUpdate };

// Communication times of one step on one rank.
struct CommunicationTimes {
  double exposed_s = 0.0;  // computing waits for communication
  // The part of it within each phase.
  double in_forward_s = 0.0;
  double in_backward_s = 0.0;
  double in_update_s = 0.0;
  double total_s = 0.0;  // some collective was in flight: the union of their intervals
};

// Main thread only.
class CommunicationMarks {
 public:
  // Marks that a step needs with that many collectives and waits.
  static std::size_t mark_count(std::size_t collective_count, std::size_t wait_limit) {
    return 2 * (collective_count + wait_limit);
  }

  // Uses marks first .. first + mark_count() - 1 of `device`, which outlives this.
  CommunicationMarks(device::Device& device,
                     device::Mark first,
                     std::size_t collective_count,
                     std::size_t wait_limit);

  // Begins a step: forgets the waits of the step before.
  void clear();
  // Declares that this step has none of the collectives.
  void leave_out_collectives() { in_step_ = 0; }

  // Call around work that computing waits for. A wait that was begun and not ended does not count.
  void begin_wait();
  void end_wait(Within phase);

  // The marks around the step's collective `index`, counted in the order they begin, on whatever
  // time line it runs; a step has all collectives or none.
  device::Interval collective(std::size_t index) const;

  // The times of the step; waits until it is past. `origin` was marked before all its other marks.
  // - durations_s: receives the duration of each collective; 0 if the step has none.
  CommunicationTimes read(device::Mark origin, std::span<double> durations_s) const;

  // Collectives of the step.
  std::size_t in_step() const { return in_step_; }
  // The waits that happened in the step, each from its first mark to its second.
  std::size_t wait_count() const { return wait_count_; }
  device::Interval wait(std::size_t index) const;

 private:
  device::Device& device_;
  device::Mark first_;
  std::size_t collective_count_;
  std::size_t in_step_;  // collectives of this step: all or 0
  std::size_t wait_count_ = 0;
  std::vector<Within> phases_;  // of each wait
};

}  // namespace scalestudy::sync
