// The collectives of a step, numbered in the order they are started.
#pragma once

#include <cstddef>

#include "workloads/comm/comm.h"
#include "workloads/sync/communication_marks.h"

namespace scalestudy::sync {

enum class Overlap {
  kNone,        // what is started is done at once
  kStartWait,   // the same, by the calls of kPoll: its control, which overlaps nothing
  kPoll,        // it advances inside later calls only
  kBackground,  // it advances by itself: on a thread, or on a queue of the device
};

// What is sent where a collective stands.
enum class Payload {
  kBuckets,  // all of it
  kElement,  // one element for each rank, so that each takes part in all that it is made of
};

// The ranks, and how this one talks to the others.
struct Links {
  comm::Comm& comm;
  Overlap overlap = Overlap::kNone;
  Payload payload = Payload::kBuckets;
  std::size_t rank = 0;
  std::size_t ranks = 1;
  bool has_sum_of_parts = false;  // every step sums a number over the ranks' parts
};

// Main thread only. A step's collectives finish in the order they are started; each takes the slot
// of `comm` and the marks of its number.
class Exchanges {
 public:
  explicit Exchanges(const Links& links) : links_(links) {}

  // A step begins. marks  where its times go, nullptr to take none; outlives the step.
  void begin(CommunicationMarks* marks);

  // Whether what is started may be in flight when start() returns.
  bool has_overlap() const;
  std::size_t started() const { return started_; }
  std::size_t complete() const { return complete_; }

  void start(comm::Operation operation, const comm::Buffer& whole, void* part = nullptr);
  // Asks once how far the next that is not known to be complete is; true when it has become so.
  bool advance();
  // Returns when the first `count` are complete, or has queued it.
  void wait(std::size_t count);

  // One all-reduce of `number`, which the update waits for.
  void sum(const comm::Buffer& number);

  // Around what computing waits for. A wait that was begun and not ended did not happen.
  void begin_wait();
  void end_wait(Within phase);

 private:
  Links links_;
  CommunicationMarks* marks_ = nullptr;
  std::size_t started_ = 0;
  std::size_t complete_ = 0;
};

}  // namespace scalestudy::sync
