// The part of a step that involves other ranks: the interface between training and how ranks share
// a model.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/device/interface.h"
#include "workloads/sync/communication_marks.h"

namespace scalestudy::sync {

// Elements that this rank updates, and where they begin in each buffer.
struct Part {
  std::size_t count = 0;
  std::size_t parameters = 0;
  std::size_t gradients = 0;
  std::size_t state = 0;   // of the optimizer
  bool is_in_norm = true;  // false: another rank with the same part adds it to the sum of squares
};

// Main thread only. One step is begin(), on_gradients_ready() any number of times, finish(), then
// sum_of_parts() if the strategy was made for it, then for each part an update and on_updated(),
// and end().
class Strategy : public device::Interface {
 public:
  // Most collectives of a step, and most waits for them.
  virtual std::size_t collective_count() const = 0;
  virtual std::size_t wait_limit() const = 0;
  // The parts of the model that this rank updates: all of it, or its share.
  virtual const std::vector<Part>& parts() const = 0;

  // Begins a step. `marks` take its times and outlive it; nullptr takes none.
  virtual void begin(CommunicationMarks* marks) = 0;
  // Tells that the leading `elements` of the gradients are final. Never decreases within a step.
  virtual void on_gradients_ready(std::size_t elements) = 0;
  // Returns when the gradients of every part are summed, or has queued the sums: work queued later
  // finds them.
  virtual void finish() = 0;

  // Sums `number`, one element about this rank's parts, to that of the whole model, during an
  // update.
  virtual void sum_of_parts(const comm::Buffer& number) = 0;

  // Tells that part `part` of parts() has been updated; called in order.
  virtual void on_updated(std::size_t part) = 0;
  // Returns when every rank's parameters are where the next step needs them, or has queued that.
  virtual void end() = 0;

  // Sends the parts that this rank updates to the others, as after an update; for parts that were
  // loaded between two steps. Every rank calls.
  void publish() {
    begin(nullptr);
    for (std::size_t part = 0; part < parts().size(); ++part) {
      on_updated(part);
    }
    end();
  }
};

}  // namespace scalestudy::sync
