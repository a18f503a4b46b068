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
  std::vector<StepTimes> times;      // one for each step
  std::vector<double> collective_s;  // (steps, collectives): how long each took on this rank
  std::vector<Span> spans = {};      // empty unless they were asked for
  // Matches of the spans' time line with another clock; empty unless they were asked for.
  std::vector<ClockMatch> clock_matches = {};
};

// A step lasts from the end of the one before it: its time includes what the host does between the
// two, and times add up to the wall time. Exceptions last from their own begin(): the first step
// and the first one of the window, before which ranks wait for each other, and those after a pause.
//
// Marks are read kStepsInFlight steps later, so that a device with a queue of work never waits for
// the host inside a step; the host is that far ahead of it at most. One step is begin(),
// end_data(), for each micro-step end_forward() and end_backward(), then end_sync() and end().
// Main thread only; allocates nothing in a step.
class StepTimer {
 public:
  static constexpr std::size_t kStepsInFlight = 8;

  struct Layout {
    bool has_phases = true;  // false: only the ends of steps are marked
    bool has_spans = false;  // needs phases; for a trace and profilers; a step then allocates
    std::size_t micro_steps = 1;
    // kForward and kBackward of all micro-steps, in order; empty: they alternate.
    std::vector<SpanKind> passes = {};
    std::size_t collectives = 1;
    std::size_t waits = 1;  // most waits for communication in a step
    std::size_t steps = 0;  // most steps of the whole run
  };

  // device  outlives the timer.
  StepTimer(device::Device& device, const Layout& layout);

  // Tells that the next step is the first measured one.
  void begin_window() { window_ = step_; }

  // Waits for every step so far; what follows until the next step is in no step's time.
  void pause();
  // The times of every step so far, valid after pause(); has room for collectives of steps to come.
  const RankSteps& record() const { return record_; }
  // Call it before the first step: takes over `steps`, done by another process.
  void resume(RankSteps steps);

  void begin();
  void end_data();
  void end_forward() { end_pass(); }
  void end_backward() { end_pass(); }
  void end_sync();
  void end();

  // The marks of this step's communication; nullptr without phases.
  sync::CommunicationMarks* communication();

  // Notes the time of another clock on the time line of spans, without which it does nothing. Waits
  // for every step so far. The first call comes before the first step of this process.
  void match_clock(const ClockNs& clock_ns);

  // The times of all steps so far, s. Waits for them, so that it must not be called between
  // measured steps.
  std::vector<double> step_times_s();

  // Waits for every step so far and hands over their times, without the loss.
  RankSteps finish();

 private:
  // Offsets of a step's marks from its first mark.
  enum Offset : std::size_t { kBegin, kEnd, kDataEnd, kSyncEnd, kMicroSteps };

  // One more than in flight: the oldest step in flight starts where the one before it ended.
  static constexpr std::size_t kStepsKept = kStepsInFlight + 1;

  static std::size_t marks_per_step(const Layout& layout);
  bool starts_anew(std::size_t step) const {
    return step == 0 || step == window_ || step == resumed_;
  }
  device::Mark first_mark(std::size_t step) const;
  device::Mark moment_marks() const;  // the first mark for moments, after those of steps
  double between_s(std::size_t step, std::size_t from, std::size_t to);
  void mark_phase(std::size_t offset);
  void begin_phase(const Span& span) const;
  void end_pass();
  void read(std::size_t step);
  void add_spans(std::size_t step, const sync::CommunicationMarks& communication);
  void read_all();

  device::Device& device_;
  Layout layout_;
  std::vector<sync::CommunicationMarks> communication_;  // of each step kept
  std::size_t step_ = 0;       // steps begun so far, without the current one
  std::size_t pass_ = 0;       // passes of this step so far
  std::vector<Span> passes_;   // passes of each step: kind and micro-step
  std::size_t window_ = 0;     // the first measured step
  std::size_t resumed_ = 0;    // the first step after the last pause
  std::size_t first_ = 0;      // the first step of this process
  double read_until_s_ = 0.0;  // spans: where the last step that was read ended
  // A moment before the first step, whose place on the spans' time line is known with that step.
  std::optional<MarkedMoment> before_first_;
  RankSteps record_;
};

}  // namespace scalestudy::train
