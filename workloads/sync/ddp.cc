#include "workloads/sync/ddp.h"

#include <utility>

namespace scalestudy::sync {

DdpSync::DdpSync(const Links& links,
                 comm::Buffer gradients,
                 std::vector<Bucket> buckets,
                 std::size_t ready_calls,
                 Wire wire)
    : exchanges_(links),
      overlap_(links.overlap),
      gradients_(gradients),
      buckets_(std::move(buckets)),
      parts_({{.count = gradients.count, .parameters = 0, .gradients = 0, .state = 0}}),
      wait_limit_(links.overlap == Overlap::kPoll ? ready_calls + 1 : 1),
      wire_(std::move(wire)) {}

void DdpSync::begin(CommunicationMarks* marks) {
  exchanges_.begin(marks);
  unpacked_ = 0;
}

void DdpSync::on_gradients_ready(std::size_t elements) {
  if (!exchanges_.has_overlap()) {
    return;
  }
  const std::size_t ready_bytes = elements * device::size_bytes(gradients_.type);
  if (overlap_ == Overlap::kBackground) {
    start_ready(ready_bytes);
    return;
  }
  exchanges_.begin_wait();
  start_ready(ready_bytes);
  if (exchanges_.complete() == exchanges_.started()) {
    return;  // nothing in flight
  }
  while (exchanges_.advance()) {
    unpack_complete();
  }
  exchanges_.end_wait(Within::kBackward);
}

void DdpSync::finish() {
  exchanges_.begin_wait();
  start_ready(gradients_.count * device::size_bytes(gradients_.type));
  while (exchanges_.complete() < exchanges_.started()) {
    exchanges_.wait(exchanges_.complete() + 1);
    unpack_complete();
  }
  exchanges_.end_wait(Within::kSync);
}

void DdpSync::start_ready(std::size_t ready_bytes) {
  while (exchanges_.started() < buckets_.size()) {
    const Bucket& bucket = buckets_[exchanges_.started()];
    if (bucket.offset_bytes + bucket.size_bytes > ready_bytes) {
      return;
    }
    exchanges_.start(comm::Operation::kAllReduce, pack(bucket));
    if (!exchanges_.has_overlap()) {
      unpack_complete();
    }
  }
}

void DdpSync::unpack_complete() {
  for (; unpacked_ < exchanges_.complete(); ++unpacked_) {
    if (wire_.unpack) {
      const std::size_t element_bytes = device::size_bytes(gradients_.type);
      const Bucket& bucket = buckets_[unpacked_];
      wire_.unpack(bucket.offset_bytes / element_bytes, bucket.size_bytes / element_bytes);
    }
  }
}

comm::Buffer DdpSync::pack(const Bucket& bucket) const {
  const std::size_t element_bytes = device::size_bytes(gradients_.type);
  const std::size_t first = bucket.offset_bytes / element_bytes;
  const std::size_t count = bucket.size_bytes / element_bytes;
  const comm::Buffer& travels = wire_.pack ? wire_.buffer : gradients_;
  if (wire_.pack) {
    wire_.pack(first, count);
  }
  return {static_cast<std::byte*>(travels.data) + first * device::size_bytes(travels.type),
          count,
          travels.type};
}

}  // namespace scalestudy::sync
