#include "workloads/sync/ddp.h"

#include <utility>

namespace scalestudy::sync {

DdpSync::DdpSync(comm::Comm& comm,
                 comm::Buffer gradients,
                 std::vector<Bucket> buckets,
                 Overlap overlap,
                 Wire wire,
                 Payload payload)
    : comm_(comm),
      gradients_(gradients),
      buckets_(std::move(buckets)),
      overlap_(overlap),
      wire_(std::move(wire)),
      payload_(payload) {}

void DdpSync::begin(CommunicationMarks* marks) {
  marks_ = marks;
  started_ = 0;
  complete_ = 0;
  if (marks_ != nullptr) {
    marks_->clear();
  }
}

void DdpSync::on_gradients_ready(std::size_t elements) {
  const std::size_t ready_bytes = elements * device::size_bytes(gradients_.type);
  if (overlap_ == Overlap::kNone || overlap_ == Overlap::kStartWait) {
    return;
  }
  if (overlap_ == Overlap::kBackground) {
    start_ready(ready_bytes);
    return;
  }
  begin_wait();
  start_ready(ready_bytes);
  if (complete_ == started_) {
    return;  // nothing in flight
  }
  while (complete_ < started_ && comm_.test(complete_)) {
    unpack(buckets_[complete_]);
    ++complete_;
  }
  end_wait(true);
}

void DdpSync::finish() {
  begin_wait();
  if (overlap_ == Overlap::kNone) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      comm_.allreduce_sum(pack(buckets_[bucket]), timing(bucket));
      unpack(buckets_[bucket]);
    }
  } else if (overlap_ == Overlap::kStartWait) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      comm_.start_allreduce_sum(bucket, pack(buckets_[bucket]), timing(bucket));
      comm_.wait(bucket);
      unpack(buckets_[bucket]);
    }
  } else {
    start_ready(gradients_.count * device::size_bytes(gradients_.type));
    for (; complete_ < started_; ++complete_) {
      comm_.wait(complete_);
      unpack(buckets_[complete_]);
    }
  }
  end_wait(false);
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
          payload_ == Payload::kElement ? 1 : count,
          travels.type};
}

void DdpSync::unpack(const Bucket& bucket) const {
  if (wire_.unpack) {
    const std::size_t element_bytes = device::size_bytes(gradients_.type);
    wire_.unpack(bucket.offset_bytes / element_bytes, bucket.size_bytes / element_bytes);
  }
}

comm::Timing DdpSync::timing(std::size_t bucket) const {
  return marks_ == nullptr ? comm::Timing() : marks_->collective(bucket);
}

void DdpSync::start_ready(std::size_t ready_bytes) {
  while (started_ < buckets_.size() &&
         buckets_[started_].offset_bytes + buckets_[started_].size_bytes <= ready_bytes) {
    comm_.start_allreduce_sum(started_, pack(buckets_[started_]), timing(started_));
    ++started_;
  }
}

void DdpSync::begin_wait() {
  if (marks_ != nullptr) {
    marks_->begin_wait();
  }
}

void DdpSync::end_wait(bool is_in_backward) {
  if (marks_ != nullptr) {
    marks_->end_wait(is_in_backward);
  }
}

}  // namespace scalestudy::sync
