#include "workloads/sync/communication_marks.h"

#include <algorithm>
#include <stdexcept>

namespace scalestudy::sync {

CommunicationMarks::CommunicationMarks(device::Device& device,
                                       device::Mark first,
                                       std::size_t collective_count,
                                       std::size_t wait_limit)
    : device_(device),
      first_(first),
      collective_count_(collective_count),
      in_step_(collective_count),
      phases_(wait_limit) {}

void CommunicationMarks::clear() {
  wait_count_ = 0;
  in_step_ = collective_count_;
}

void CommunicationMarks::begin_wait() {
  if (wait_count_ == phases_.size()) {
    throw std::logic_error("a step waits for communication more often than was planned");
  }
  device_.mark(wait(wait_count_).begin);
}

void CommunicationMarks::end_wait(Within phase) {
  device_.mark(wait(wait_count_).end);
  phases_[wait_count_] = phase;
  ++wait_count_;
}

device::Interval CommunicationMarks::collective(std::size_t index) const {
  const auto begin = static_cast<device::Mark>(first_ + 2 * index);
  return {begin, begin + 1};
}

device::Interval CommunicationMarks::wait(std::size_t index) const {
  return collective(collective_count_ + index);
}

CommunicationTimes CommunicationMarks::read(device::Mark origin,
                                            std::span<double> durations_s) const {
  CommunicationTimes times;
  for (std::size_t i = 0; i < wait_count_; ++i) {
    const device::Interval waited = wait(i);
    const double wait_s = device_.elapsed_s(waited.begin, waited.end);
    times.exposed_s += wait_s;
    switch (phases_[i]) {
      case Within::kForward:
        times.in_forward_s += wait_s;
        break;
      case Within::kBackward:
        times.in_backward_s += wait_s;
        break;
      case Within::kUpdate:
        times.in_update_s += wait_s;
        break;
      case Within::kSync:
        break;
    }
  }
  double covered_s = 0.0;
  std::fill(durations_s.begin(), durations_s.end(), 0.0);
  for (std::size_t i = 0; i < in_step_; ++i) {
    const device::Interval marks = collective(i);
    const double begin_s = device_.elapsed_s(origin, marks.begin);
    const double end_s = device_.elapsed_s(origin, marks.end);
    durations_s[i] = end_s - begin_s;
    times.total_s += std::max(0.0, end_s - std::max(begin_s, covered_s));
    covered_s = std::max(covered_s, end_s);
  }
  return times;
}

}  // namespace scalestudy::sync
