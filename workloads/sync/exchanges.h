// The collectives of a step, numbered in the order they are started.
#pragma once

#include <cstddef>

#include "workloads/comm/comm.h"
#include "workloads/sync/communication_marks.h"

namespace scalestudy::sync {

enum class Overlap {
  kNone,        // a collective is done when start() returns
  kStartWait,   // as kNone, but by the calls of kPoll: its control, which overlaps nothing
  kPoll,        // a collective advances inside later calls only
  kBackground,  // a collective advances by itself: on a thread, or on a queue of the device
};

// The data that a collective sends.
enum class Payload {
  kBuckets,  // all of it
  kElement,  // one element for each rank, so that each takes part in every message
};

// The ranks, and how this one talks to the others.
struct Links {
  comm::Comm& comm;
  Overlap overlap = Overlap::kNone;
  Payload payload = Payload::kBuckets;
  std::size_t rank = 0;
  std::size_t ranks = 1;
  bool has_sum_of_parts = false;  // every step calls Strategy::sum_of_parts()
};

// Main thread only. A step's collectives finish in the order they are started; each takes the slot
// of `comm` and the marks of its number.
class Exchanges {
 public:
  explicit Exchanges(const Links& links) : links_(links) {}

  // Begins a step. `marks` take its times and outlive it; nullptr takes none.
  void begin(CommunicationMarks* marks);

  // Whether a collective may be in flight when start() returns.
  bool has_overlap() const;
  std::size_t started() const { return started_; }
  std::size_t complete() const { return complete_; }

  void start(comm::Operation operation, const comm::Buffer& whole, void* part = nullptr);
  // Tests once the first collective that is not known to be complete; true if it is now.
  bool advance();
  // Returns when the step's first `count` collectives are complete, or has queued the wait.
  void wait(std::size_t count);

  // Sums `number` over the ranks by one all-reduce, which the update waits for.
  void sum(const comm::Buffer& number);

  // Call around work that computing waits for. A wait that was begun and not ended does not count.
  void begin_wait();
  void end_wait(Within phase);

 private:
  Links links_;
  CommunicationMarks* marks_ = nullptr;
  std::size_t started_ = 0;
  std::size_t complete_ = 0;
};

}  // namespace scalestudy::sync
