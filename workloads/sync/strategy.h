// What a step does about the other ranks: the seam between training and how ranks share a model.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/sync/communication_marks.h"

namespace scalestudy::sync {

// Elements that this rank updates, and where they begin in each buffer.
struct Part {
  std::size_t count;
  std::size_t parameters;
  std::size_t gradients;
  std::size_t state;       // of the optimizer
  bool is_in_norm = true;  // else another rank, which has the same, counts it in the sum of squares
};

// Main thread only. One step is begin(), on_gradients_ready() any number of times, finish(), where
// the strategy was made for it sum_of_parts(), then for each part an update and on_updated(), and
// end().
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  // Collectives of every step, and waits for them, at most.
  virtual std::size_t collective_count() const = 0;
  virtual std::size_t wait_limit() const = 0;
  // What this rank updates: all of the model, or its share.
  virtual const std::vector<Part>& parts() const = 0;

  // marks  where this step's times go, nullptr to take none; outlives the step.
  virtual void begin(CommunicationMarks* marks) = 0;
  // The leading `elements` of the gradients are final. Never decreases within a step.
  virtual void on_gradients_ready(std::size_t elements) = 0;
  // Returns when the gradients of every part are summed, or has queued it: work queued later finds
  // the sums.
  virtual void finish() = 0;

  // `number`, of this rank's parts, becomes that of the model: one element, in a step's update.
  virtual void sum_of_parts(const comm::Buffer& number) = 0;

  // Part `part` of parts() has been updated; in order.
  virtual void on_updated(std::size_t part) = 0;
  // Returns when every rank's parameters are where the next step needs them, or has queued it.
  virtual void end() = 0;

  // Between two steps: what this rank updates has come from elsewhere, and goes to the others as
  // after an update. Every rank calls.
  void publish() {
    begin(nullptr);
    for (std::size_t part = 0; part < parts().size(); ++part) {
      on_updated(part);
    }
    end();
  }
};

}  // namespace scalestudy::sync
