#include "workloads/sync/exchanges.h"

#include <algorithm>

namespace scalestudy::sync {

void Exchanges::begin(CommunicationMarks* marks) {
  marks_ = marks;
  started_ = 0;
  complete_ = 0;
  if (marks_ != nullptr) {
    marks_->clear();
  }
}

bool Exchanges::has_overlap() const {
  return links_.overlap == Overlap::kPoll || links_.overlap == Overlap::kBackground;
}

void Exchanges::start(comm::Operation operation, const comm::Buffer& whole, void* part) {
  comm::Exchange exchange{operation, whole};
  if (links_.payload == Payload::kElement) {
    exchange.whole.count = std::min(whole.count, links_.ranks);
  }
  if (operation != comm::Operation::kAllReduce) {
    exchange.part = {part, exchange.whole.count / links_.ranks, whole.type};
    if (part == nullptr) {
      exchange.part.data = static_cast<std::byte*>(whole.data) +
                           links_.rank * exchange.part.count * device::size_bytes(whole.type);
    }
  }
  const comm::Timing timing = marks_ == nullptr ? comm::Timing() : marks_->collective(started_);
  if (links_.overlap == Overlap::kNone) {
    links_.comm.run(exchange, timing);
  } else {
    links_.comm.start(started_, exchange, timing);
  }
  ++started_;
  if (links_.overlap == Overlap::kNone) {
    complete_ = started_;
  } else if (links_.overlap == Overlap::kStartWait) {
    wait(started_);
  }
}

bool Exchanges::advance() {
  if (complete_ == started_ || !links_.comm.test(complete_)) {
    return false;
  }
  ++complete_;
  return true;
}

void Exchanges::wait(std::size_t count) {
  for (; complete_ < count; ++complete_) {
    links_.comm.wait(complete_);
  }
}

void Exchanges::sum(const comm::Buffer& number) {
  begin_wait();
  start(comm::Operation::kAllReduce, number);
  wait(started_);
  end_wait(Within::kUpdate);
}

void Exchanges::begin_wait() {
  if (marks_ != nullptr) {
    marks_->begin_wait();
  }
}

void Exchanges::end_wait(Within phase) {
  if (marks_ != nullptr) {
    marks_->end_wait(phase);
  }
}

}  // namespace scalestudy::sync
