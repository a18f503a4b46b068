#include "workloads/sync/ddp.h"

#include <utility>

namespace scalestudy::sync {

DdpSync::DdpSync(const Links& links,
                 comm::Buffer gradients,
                 std::vector<Bucket> buckets,
                 std::size_t ready_calls,
                 Wire* wire,
                 const comm::Buffer* parameters)
    : exchanges_(links),
      overlap_(links.overlap),
      gradients_(gradients),
      parameters_(parameters == nullptr ? comm::Buffer{} : *parameters),
      buckets_(std::move(buckets)),
      wait_limit_(links.overlap == Overlap::kPoll ? ready_calls + 1 : 1),
      wire_(wire),
      collective_count_(buckets_.size()) {
  if (parameters == nullptr) {
    parts_.push_back({.count = gradients.count, .parameters = 0, .gradients = 0, .state = 0});
    return;
  }
  for (const Bucket& bucket : buckets_) {
    const comm::Buffer whole = part_of(gradients_, bucket);
    const std::size_t first = bucket.offset_bytes / device::size_bytes(gradients.type);
    const std::size_t count = whole.count / links.ranks;
    const std::size_t own = first + links.rank * count;
    parts_.push_back(
        {.count = count, .parameters = own, .gradients = own, .state = first / links.ranks});
  }
  collective_count_ += buckets_.size() + (links.has_sum_of_parts ? 1 : 0);
  wait_limit_ += buckets_.size() + 2;
}

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
    const bool is_gathered = wire_ != nullptr && wire_->is_gathered();
    const comm::Operation sum =
        parameters_.data == nullptr ? comm::Operation::kAllReduce : comm::Operation::kReduceScatter;
    exchanges_.start(
        is_gathered ? comm::Operation::kAllGather : sum,
        wire_ == nullptr ? part_of(gradients_, bucket) : wire_->pack(exchanges_.started()));
    if (!exchanges_.has_overlap()) {
      unpack_complete();
    }
  }
}

void DdpSync::unpack_complete() {
  for (; unpacked_ < exchanges_.complete(); ++unpacked_) {
    if (wire_ != nullptr) {
      wire_->unpack(unpacked_);
    }
  }
}

void DdpSync::sum_of_parts(const comm::Buffer& number) {
  if (parameters_.data != nullptr) {  // else every rank has all of the model
    exchanges_.sum(number);
  }
}

void DdpSync::on_updated(std::size_t part) {
  if (parameters_.data == nullptr) {
    return;
  }
  exchanges_.begin_wait();
  exchanges_.start(comm::Operation::kAllGather, part_of(parameters_, buckets_[part]));
  if (overlap_ != Overlap::kBackground) {
    exchanges_.end_wait(Within::kUpdate);
  }
}

void DdpSync::end() {
  if (parameters_.data == nullptr) {
    return;
  }
  exchanges_.begin_wait();
  exchanges_.wait(exchanges_.started());
  exchanges_.end_wait(Within::kUpdate);
}

comm::Buffer DdpSync::part_of(const comm::Buffer& buffer, const Bucket& bucket) {
  const std::size_t element_bytes = device::size_bytes(buffer.type);
  return {static_cast<std::byte*>(buffer.data) + bucket.offset_bytes,
          bucket.size_bytes / element_bytes,
          buffer.type};
}

}  // namespace scalestudy::sync
