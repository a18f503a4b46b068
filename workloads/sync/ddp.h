// Distributed data parallel: full replicas, gradients summed bucket by bucket.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/sync/buckets.h"
#include "workloads/sync/communication_marks.h"

namespace scalestudy::sync {

enum class Overlap {
  kNone,        // every bucket after backward, one after another
  kStartWait,   // the same, by the calls of kPoll: its control, which overlaps nothing
  kPoll,        // a bucket starts as soon as it is ready and advances inside later calls only
  kBackground,  // the same, advancing by itself: on a thread, or on a queue of the device
};

// What gradients travel as, where that is not their own type. An empty one: as themselves.
struct Wire {
  comm::Buffer buffer{};  // as many elements as there are gradients
  // Both convert `count` elements from `first` on, or queue it: gradients to the buffer, and back.
  std::function<void(std::size_t first, std::size_t count)> pack;
  std::function<void(std::size_t first, std::size_t count)> unpack;
};

// What is sent at a bucket's points.
enum class Payload {
  kBuckets,  // the bucket
  kElement,  // one element of it
};

// Main thread only. One step is begin(), on_gradients_ready() any number of times, finish().
class DdpSync {
 public:
  // gradients  the flat buffer in the order gradients become ready; outlives this, as do `comm` and
  //            what `wire` refers to.
  // buckets    in bytes of the gradients, whatever travels.
  // payload    kElement: the control that waits for other ranks and moves next to nothing; its
  //            gradients are not summed.
  DdpSync(comm::Comm& comm,
          comm::Buffer gradients,
          std::vector<Bucket> buckets,
          Overlap overlap,
          Wire wire = {},
          Payload payload = Payload::kBuckets);

  // Waits a step may have, at most, when on_gradients_ready() is called `ready_calls` times.
  static std::size_t wait_limit(Overlap overlap, std::size_t ready_calls) {
    return overlap == Overlap::kPoll ? ready_calls + 1 : 1;
  }

  // marks  where this step's times go, nullptr to take none; outlives the step.
  void begin(CommunicationMarks* marks);

  // The leading `elements` of the buffer are final. Never decreases within a step.
  void on_gradients_ready(std::size_t elements);

  // Returns when every gradient is summed, or has queued it: work queued later finds the sums.
  void finish();

 private:
  // What travels for a bucket; pack() fills it.
  comm::Buffer pack(const Bucket& bucket) const;
  void unpack(const Bucket& bucket) const;
  comm::Timing timing(std::size_t bucket) const;
  void start_ready(std::size_t ready_bytes);
  void begin_wait();
  void end_wait(bool is_in_backward);

  comm::Comm& comm_;
  comm::Buffer gradients_;
  std::vector<Bucket> buckets_;
  Overlap overlap_;
  Wire wire_;
  Payload payload_;
  CommunicationMarks* marks_ = nullptr;
  std::size_t started_ = 0;   // buckets begun in this step
  std::size_t complete_ = 0;  // of these, known to be summed; they finish in order
};

}  // namespace scalestudy::sync
