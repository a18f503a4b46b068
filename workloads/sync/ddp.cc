#include "workloads/sync/ddp.h"

#include <utility>

namespace scalestudy::sync {

DdpSync::DdpSync(comm::Comm& comm,
                 comm::Buffer gradients,
                 std::vector<Bucket> buckets,
                 Overlap overlap,
                 rank::PhaseClock clock)
    : comm_(comm),
      gradients_(gradients),
      buckets_(std::move(buckets)),
      overlap_(overlap),
      clock_(clock) {}

void DdpSync::begin() {
  started_ = 0;
  complete_ = 0;
  times_ = {};
}

void DdpSync::on_gradients_ready(std::size_t elements) {
  if (overlap_ == Overlap::kNone) {
    return;
  }
  const double begin_s = clock_.now_s();
  start_ready(elements * device::size_bytes(gradients_.type), begin_s);
  if (complete_ == started_) {
    return;  // nothing in flight
  }
  while (complete_ < started_ && comm_.test(complete_)) {
    ++complete_;
  }
  times_.in_backward_s += leave(begin_s);
}

void DdpSync::finish() {
  const double begin_s = clock_.now_s();
  if (overlap_ == Overlap::kNone) {
    in_flight_since_s_ = begin_s;
    for (const Bucket& bucket : buckets_) {
      comm_.allreduce_sum(slice(bucket));
    }
  } else {
    start_ready(gradients_.count * device::size_bytes(gradients_.type), begin_s);
    for (; complete_ < started_; ++complete_) {
      comm_.wait(complete_);
    }
  }
  times_.exposed_s = times_.in_backward_s + leave(begin_s);
}

double DdpSync::leave(double entered_s) {
  const double now_s = clock_.now_s();
  if (complete_ == started_ && in_flight_since_s_) {
    times_.total_s += now_s - *in_flight_since_s_;
    in_flight_since_s_.reset();
  }
  return now_s - entered_s;
}

comm::Buffer DdpSync::slice(const Bucket& bucket) const {
  return {static_cast<std::byte*>(gradients_.data) + bucket.offset_bytes,
          bucket.size_bytes / device::size_bytes(gradients_.type),
          gradients_.type};
}

void DdpSync::start_ready(std::size_t ready_bytes, double now_s) {
  while (started_ < buckets_.size() &&
         buckets_[started_].offset_bytes + buckets_[started_].size_bytes <= ready_bytes) {
    if (!in_flight_since_s_) {
      in_flight_since_s_ = now_s;
    }
    comm_.start_allreduce_sum(started_, slice(buckets_[started_]));
    ++started_;
  }
}

}  // namespace scalestudy::sync
