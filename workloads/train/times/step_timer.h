// Times the phases of each step by marks on the device's time line.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "workloads/device/device.h"
#include "workloads/sync/communication_marks.h"
#include "workloads/train/times/clock_match.h"
#include "workloads/train/times/step_times.h"
#include "workloads/train/times/trace.h"

namespace scalestudy::train {

// What one rank measured.
struct RankSteps {
  std::vector<StepTimes> times;      // a step each
  std::vector<double> collective_s;  // (steps, collectives): how long each took here
  std::vector<Span> spans = {};      // where they were asked for
  // Of the spans' time line with another clock, where that was asked for.
  std::vector<ClockMatch> clock_matches = {};
};

// A step lasts from the end of the one before it, so that what the host does between two steps is
// in their times, and these add up to the wall time. Only the first step, the first one of the
// window, which wait for other ranks before, and those behind a pause last from their own begin().
//
// Marks are read kStepsInFlight steps later, so that a device with a queue of work never waits for
// the host inside a step; the host is that far ahead of it at most. One step is begin(),
// end_data(), for each micro-step end_forward() and end_backward(), then end_sync() and end().
// Main thread only; allocates nothing in a step.
class StepTimer {
 public:
  static constexpr std::size_t kStepsInFlight = 8;

  struct Layout {
    bool has_phases = true;  // false: only where steps end is marked
    bool has_spans = false;  // with phases alone, for profilers too; then a step allocates
    std::size_t micro_steps = 1;
    // kForward and kBackward of all of them, in order; empty: in turn.
    std::vector<SpanKind> passes = {};
    std::size_t collectives = 1;
    std::size_t waits = 1;  // for communication, at most
    std::size_t steps = 0;  // of the whole run, at most
  };

  // device  outlives the timer.
  StepTimer(device::Device& device, const Layout& layout);

  // The next step is the first that is measured.
  void begin_window() { window_ = step_; }

  // What follows is in no step's time; waits for every step so far.
  void pause();
  // What every step so far took, behind pause(); collectives of steps to come are in it too.
  const RankSteps& record() const { return record_; }
  // Before the first step: those of `steps` are done, in another process.
  void resume(RankSteps steps);

  void begin();
  void end_data();
  void end_forward() { end_pass(); }
  void end_backward() { end_pass(); }
  void end_sync();
  void end();

  // Where this step's communication is marked; nullptr without phases.
  sync::CommunicationMarks* communication();

  // With spans alone: what another clock says now is noted on their time line, for which every step
  // so far is waited for. First before the first step of this process.
  void match_clock(const ClockNs& clock_ns);

  // Of every step so far, which it waits for: not inside what is measured.
  std::vector<double> step_times_s();

  // Waits for every step so far and hands over their times, but for the loss.
  RankSteps finish();

 private:
  // Marks of a step, from its first one on.
  enum Offset : std::size_t { kBegin, kEnd, kDataEnd, kSyncEnd, kMicroSteps };

  // Where a step starts is where the step before the oldest one in flight ended.
  static constexpr std::size_t kStepsKept = kStepsInFlight + 1;

  static std::size_t marks_per_step(const Layout& layout);
  bool starts_anew(std::size_t step) const {
    return step == 0 || step == window_ || step == resumed_;
  }
  device::Mark first_mark(std::size_t step) const;
  device::Mark moment_marks() const;  // the first of them, behind those of steps
  double between_s(std::size_t step, std::size_t from, std::size_t to);
  void mark_phase(std::size_t offset);
  void begin_phase(const Span& span);
  void end_pass();
  void read(std::size_t step);
  void add_spans(std::size_t step, const sync::CommunicationMarks& communication);
  void read_all();

  device::Device& device_;
  Layout layout_;
  std::vector<sync::CommunicationMarks> communication_;  // of each step kept
  std::size_t step_ = 0;       // begun so far, the current one not counted
  std::size_t pass_ = 0;       // of this step
  std::vector<Span> passes_;   // of each step: kind and micro-step
  std::size_t window_ = 0;     // its first step
  std::size_t resumed_ = 0;    // the first step behind the last pause
  std::size_t first_ = 0;      // of this process
  double read_until_s_ = 0.0;  // spans: where the last step that was read ended
  // Its place on the spans' time line is known when the first step is.
  std::optional<MarkedMoment> before_first_;
  RankSteps record_;
};

}  // namespace scalestudy::train
