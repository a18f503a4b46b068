#include "workloads/sync/ddp.h"

#include <utility>

namespace scalestudy::sync {

DdpSync::DdpSync(comm::Comm& comm,
                 comm::Buffer gradients,
                 std::vector<Bucket> buckets,
                 Overlap overlap)
    : comm_(comm), gradients_(gradients), buckets_(std::move(buckets)), overlap_(overlap) {}

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
  if (overlap_ == Overlap::kNone) {
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
    ++complete_;
  }
  end_wait(true);
}

void DdpSync::finish() {
  begin_wait();
  if (overlap_ == Overlap::kNone) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      comm_.allreduce_sum(slice(buckets_[bucket]), timing(bucket));
    }
  } else {
    start_ready(gradients_.count * device::size_bytes(gradients_.type));
    for (; complete_ < started_; ++complete_) {
      comm_.wait(complete_);
    }
  }
  end_wait(false);
}

comm::Buffer DdpSync::slice(const Bucket& bucket) const {
  return {static_cast<std::byte*>(gradients_.data) + bucket.offset_bytes,
          bucket.size_bytes / device::size_bytes(gradients_.type),
          gradients_.type};
}

comm::Timing DdpSync::timing(std::size_t bucket) const {
  return marks_ == nullptr ? comm::Timing() : marks_->collective(bucket);
}

void DdpSync::start_ready(std::size_t ready_bytes) {
  while (started_ < buckets_.size() &&
         buckets_[started_].offset_bytes + buckets_[started_].size_bytes <= ready_bytes) {
    comm_.start_allreduce_sum(started_, slice(buckets_[started_]), timing(started_));
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
