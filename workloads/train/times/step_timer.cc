#include "workloads/train/times/step_timer.h"

#include <span>
#include <utility>

#include "workloads/train/times/profiler_ranges.h"

namespace scalestudy::train {

StepTimer::StepTimer(device::Device& device, const Layout& layout)
    : device_(device), layout_(layout) {
  const std::size_t per_step = marks_per_step(layout);
  device.reserve_marks(kStepsKept * per_step + kMomentMarks);
  record_.times.reserve(layout.steps);
  std::size_t forwards = 0;
  for (std::size_t i = 0; i < 2 * layout.micro_steps; ++i) {
    const SpanKind in_turn = i % 2 == 0 ? SpanKind::kForward : SpanKind::kBackward;
    const SpanKind kind = layout.passes.empty() ? in_turn : layout.passes[i];
    passes_.push_back(
        {.kind = kind, .index = kind == SpanKind::kForward ? forwards++ : i - forwards});
  }
  if (!layout.has_phases) {
    return;
  }
  record_.collective_s.resize(layout.steps * layout.collectives);
  for (std::size_t i = 0; i < kStepsKept; ++i) {
    const std::size_t first = i * per_step + kMicroSteps + 2 * layout.micro_steps;
    communication_.emplace_back(
        device, static_cast<device::Mark>(first), layout.collectives, layout.waits);
  }
}

std::size_t StepTimer::marks_per_step(const Layout& layout) {
  return kMicroSteps + 2 * layout.micro_steps +
         sync::CommunicationMarks::mark_count(layout.collectives, layout.waits);
}

// Steps before it have been read then, so that one number tells which of the others starts anew.
void StepTimer::pause() {
  read_all();
  resumed_ = step_;
}

void StepTimer::resume(RankSteps steps) {
  steps.collective_s.resize(record_.collective_s.size());
  steps.times.reserve(layout_.steps);
  record_ = std::move(steps);
  step_ = record_.times.size();
  resumed_ = step_;
  first_ = step_;
}

void StepTimer::begin() {
  if (step_ >= kStepsInFlight && record_.times.size() <= step_ - kStepsInFlight) {
    read(step_ - kStepsInFlight);
  }
  pass_ = 0;
  if (layout_.has_phases || starts_anew(step_)) {
    device_.mark(first_mark(step_) + kBegin);
  }
  if (layout_.has_spans) {
    begin_range(name_of({.kind = SpanKind::kStep, .index = step_}));
    begin_range(name_of({.kind = SpanKind::kData, .index = step_}));
  }
}

void StepTimer::end_data() {
  mark_phase(kDataEnd);
  begin_phase(passes_.front());
}

void StepTimer::end_sync() {
  mark_phase(kSyncEnd);
  begin_phase({.kind = SpanKind::kUpdate, .index = step_});
}

void StepTimer::end() {
  device_.mark(first_mark(step_) + kEnd);
  if (layout_.has_spans) {
    end_range();
    end_range();
  }
  ++step_;
}

sync::CommunicationMarks* StepTimer::communication() {
  return layout_.has_phases ? &communication_[step_ % kStepsKept] : nullptr;
}

void StepTimer::match_clock(const ClockNs& clock_ns) {
  read_all();
  const MarkedMoment moment = mark_moment(device_, moment_marks(), clock_ns);
  if (step_ == first_) {
    before_first_ = moment;
    return;
  }
  const device::Mark end = first_mark(step_ - 1) + kEnd;
  record_.clock_matches.push_back(
      {read_until_s_ + device_.elapsed_s(end, moment.mark), moment.clock_ns, moment.error_s});
}

std::vector<double> StepTimer::step_times_s() {
  read_all();
  std::vector<double> times_s;
  times_s.reserve(record_.times.size());
  for (const StepTimes& times : record_.times) {
    times_s.push_back(times[kStepTime]);
  }
  return times_s;
}

void StepTimer::read_all() {
  while (record_.times.size() < step_) {
    read(record_.times.size());
  }
}

RankSteps StepTimer::finish() {
  read_all();
  record_.collective_s.resize(layout_.has_phases ? step_ * layout_.collectives : 0);
  return std::exchange(record_, {});
}

device::Mark StepTimer::first_mark(std::size_t step) const {
  return static_cast<device::Mark>(step % kStepsKept * marks_per_step(layout_));
}

device::Mark StepTimer::moment_marks() const {
  return static_cast<device::Mark>(kStepsKept * marks_per_step(layout_));
}

double StepTimer::between_s(std::size_t step, std::size_t from, std::size_t to) {
  const device::Mark first = first_mark(step);
  return device_.elapsed_s(static_cast<device::Mark>(first + from),
                           static_cast<device::Mark>(first + to));
}

void StepTimer::mark_phase(std::size_t offset) {
  if (layout_.has_phases) {
    device_.mark(static_cast<device::Mark>(first_mark(step_) + offset));
  }
}

void StepTimer::begin_phase(const Span& span) const {
  if (layout_.has_spans) {
    end_range();
    begin_range(name_of(span));
  }
}

void StepTimer::end_pass() {
  mark_phase(kMicroSteps + pass_);
  ++pass_;
  begin_phase(pass_ < passes_.size() ? passes_[pass_]
                                     : Span{.kind = SpanKind::kSync, .index = step_});
}

void StepTimer::read(std::size_t step) {
  StepTimes times{};
  const device::Mark start =
      starts_anew(step) ? first_mark(step) + kBegin : first_mark(step - 1) + kEnd;
  times[kStepTime] = device_.elapsed_s(start, first_mark(step) + kEnd);
  if (layout_.has_phases) {
    const std::span<double> durations_s(record_.collective_s.data() + step * layout_.collectives,
                                        layout_.collectives);
    const sync::CommunicationTimes communication =
        communication_[step % kStepsKept].read(first_mark(step) + kBegin, durations_s);
    times[kDataTime] = between_s(step, kBegin, kDataEnd);
    std::size_t last = kDataEnd;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const Field field = passes_[i].kind == SpanKind::kForward ? kForwardTime : kBackwardTime;
      times[field] += between_s(step, last, kMicroSteps + i);
      last = kMicroSteps + i;
    }
    times[kForwardTime] -= communication.in_forward_s;
    times[kBackwardTime] -= communication.in_backward_s;
    times[kExposedCommunication] = communication.exposed_s;
    times[kOptimizerTime] = between_s(step, kSyncEnd, kEnd) - communication.in_update_s;
    times[kOtherTime] = times[kStepTime] - times[kDataTime] - times[kForwardTime] -
                        times[kBackwardTime] - times[kExposedCommunication] - times[kOptimizerTime];
    times[kCommunicationTime] = communication.total_s;
    if (layout_.has_spans) {
      add_spans(step, communication_[step % kStepsKept]);
    }
  }
  record_.times.push_back(times);
}

void StepTimer::add_spans(std::size_t step, const sync::CommunicationMarks& communication) {
  const auto begin = static_cast<device::Mark>(first_mark(step) + kBegin);
  if (step > first_) {  // also where it starts anew: ranks have waited for each other in between
    read_until_s_ +=
        device_.elapsed_s(static_cast<device::Mark>(first_mark(step - 1) + kEnd), begin);
  } else if (before_first_) {
    record_.clock_matches.push_back({-device_.elapsed_s(before_first_->mark, begin),
                                     before_first_->clock_ns,
                                     before_first_->error_s});
  }
  const double begin_s = read_until_s_;
  const auto add = [&](SpanKind kind, std::size_t index, device::Mark from, device::Mark to) {
    record_.spans.push_back(
        {kind, index, begin_s + device_.elapsed_s(begin, from), device_.elapsed_s(from, to)});
  };
  const auto phase = [&](SpanKind kind, std::size_t index, std::size_t from, std::size_t to) {
    const device::Mark first = first_mark(step);
    add(kind,
        index,
        static_cast<device::Mark>(first + from),
        static_cast<device::Mark>(first + to));
  };
  phase(SpanKind::kStep, step, kBegin, kEnd);
  phase(SpanKind::kData, step, kBegin, kDataEnd);
  std::size_t last = kDataEnd;
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    phase(passes_[i].kind, passes_[i].index, last, kMicroSteps + i);
    last = kMicroSteps + i;
  }
  phase(SpanKind::kSync, step, last, kSyncEnd);
  phase(SpanKind::kUpdate, step, kSyncEnd, kEnd);
  for (std::size_t i = 0; i < communication.wait_count(); ++i) {
    add(SpanKind::kWait, i, communication.wait(i).begin, communication.wait(i).end);
  }
  for (std::size_t i = 0; i < communication.in_step(); ++i) {
    const device::Interval marks = communication.collective(i);
    add(SpanKind::kCollective, i, marks.begin, marks.end);
  }
  read_until_s_ += between_s(step, kBegin, kEnd);
}

}  // namespace scalestudy::train
