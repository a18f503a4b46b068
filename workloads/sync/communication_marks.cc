#include "workloads/sync/communication_marks.h"

#include <algorithm>
#include <stdexcept>

namespace scalestudy::sync {

CommunicationMarks::CommunicationMarks(device::Device& device,
                                       device::Mark first,
                                       std::size_t bucket_count,
                                       std::size_t wait_limit)
    : device_(device), first_(first), bucket_count_(bucket_count), is_in_backward_(wait_limit) {}

void CommunicationMarks::clear() {
  wait_count_ = 0;
}

void CommunicationMarks::begin_wait() {
  if (wait_count_ == is_in_backward_.size()) {
    throw std::logic_error("a step waits for communication more often than was planned");
  }
  device_.mark(wait(wait_count_).begin);
}

void CommunicationMarks::end_wait(bool is_in_backward) {
  device_.mark(wait(wait_count_).end);
  is_in_backward_[wait_count_] = is_in_backward ? 1 : 0;
  ++wait_count_;
}

device::Interval CommunicationMarks::collective(std::size_t bucket) const {
  const auto begin = static_cast<device::Mark>(first_ + 2 * bucket);
  return {begin, begin + 1};
}

device::Interval CommunicationMarks::wait(std::size_t index) const {
  return collective(bucket_count_ + index);
}

CommunicationTimes CommunicationMarks::read(device::Mark origin,
                                            std::span<double> durations_s) const {
  CommunicationTimes times;
  for (std::size_t i = 0; i < wait_count_; ++i) {
    const device::Interval waited = wait(i);
    const double wait_s = device_.elapsed_s(waited.begin, waited.end);
    times.exposed_s += wait_s;
    times.in_backward_s += is_in_backward_[i] != 0 ? wait_s : 0.0;
  }
  // Collectives begin in the order of their buckets.
  double covered_s = 0.0;
  for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
    const device::Interval marks = collective(bucket);
    const double begin_s = device_.elapsed_s(origin, marks.begin);
    const double end_s = device_.elapsed_s(origin, marks.end);
    durations_s[bucket] = end_s - begin_s;
    times.total_s += std::max(0.0, end_s - std::max(begin_s, covered_s));
    covered_s = std::max(covered_s, end_s);
  }
  return times;
}

}  // namespace scalestudy::sync
