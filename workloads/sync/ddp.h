// Distributed data parallel: full replicas, gradients summed bucket by bucket.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/rank/clock.h"
#include "workloads/sync/buckets.h"

namespace scalestudy::sync {

enum class Overlap {
  kNone,  // every bucket after backward, one blocking call after another
  kPoll,  // a bucket starts as soon as it is ready; MPI advances only inside later calls
};

// Of one step.
struct CommunicationTimes {
  double exposed_s = 0.0;      // the main thread inside collective calls: it computes nothing then
  double in_backward_s = 0.0;  // the part of it before finish()
  double total_s = 0.0;        // some collective was in flight (union of the intervals)
};

// Main thread only. One step is begin(), on_gradients_ready() any number of times, finish().
class DdpSync {
 public:
  // gradients  the flat buffer in the order gradients become ready; outlives this, as does `comm`.
  // clock      where it is off, times() means nothing.
  DdpSync(comm::Comm& comm,
          comm::Buffer gradients,
          std::vector<Bucket> buckets,
          Overlap overlap,
          rank::PhaseClock clock = rank::PhaseClock(true));

  void begin();

  // The leading `elements` of the buffer are final. Never decreases within a step.
  void on_gradients_ready(std::size_t elements);

  // Returns when every gradient is summed.
  void finish();

  const CommunicationTimes& times() const { return times_; }

 private:
  comm::Buffer slice(const Bucket& bucket) const;
  void start_ready(std::size_t ready_bytes, double now_s);
  // Ends the interval in flight when all has arrived. Returns the seconds since `entered_s`.
  double leave(double entered_s);

  comm::Comm& comm_;
  comm::Buffer gradients_;
  std::vector<Bucket> buckets_;
  Overlap overlap_;
  rank::PhaseClock clock_;
  std::size_t started_ = 0;   // buckets begun in this step
  std::size_t complete_ = 0;  // of these, known to be summed; they finish in order
  std::optional<double> in_flight_since_s_;
  CommunicationTimes times_;
};

}  // namespace scalestudy::sync
