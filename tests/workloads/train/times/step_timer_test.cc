#include "workloads/train/times/step_timer.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/workloads/fake_device.h"

using namespace scalestudy;
using test::FakeDevice;
using train::StepTimer;
using train::StepTimes;

namespace {

// One step of one micro-step, of `phase_s` each.
void time_step(StepTimer& timer, FakeDevice& device, double phase_s) {
  timer.begin();
  device.now_s += phase_s;
  timer.end_data();
  device.now_s += phase_s;
  timer.end_forward();
  sync::CommunicationMarks* marks = timer.communication();
  if (marks != nullptr) {
    marks->clear();
    device.mark(marks->collective(0).begin);
    device.now_s += phase_s;
    timer.end_backward();
    marks->begin_wait();
    device.now_s += phase_s;
    device.mark(marks->collective(0).end);
    marks->end_wait(sync::Within::kSync);
  }
  timer.end_sync();
  device.now_s += phase_s;
  timer.end();
}

}  // namespace

// By hand, in seconds. Micro-steps 2 + 3 and 4 + 5, of which 0.5 drive communication inside the
// second backward; 6 of waiting behind it; 0.25 in no phase. Collective 0 is in flight for the 5.0
// of the second backward and 1 more; collective 1 for the 5 behind that.
TEST_CASE("phases of a step are what passed between its marks", "[train]") {
  FakeDevice device(0.0);
  StepTimer timer(device, {.micro_steps = 2, .collectives = 2, .waits = 2, .steps = 1});

  timer.begin();
  device.now_s += 1.0;
  timer.end_data();
  device.now_s += 2.0;
  timer.end_forward();
  device.now_s += 3.0;
  timer.end_backward();
  device.now_s += 4.0;
  timer.end_forward();
  sync::CommunicationMarks& marks = *timer.communication();
  marks.clear();
  device.mark(marks.collective(0).begin);
  marks.begin_wait();
  device.now_s += 0.5;
  marks.end_wait(sync::Within::kBackward);
  device.now_s += 4.5;
  timer.end_backward();
  marks.begin_wait();
  device.now_s += 1.0;
  device.mark(marks.collective(0).end);
  device.mark(marks.collective(1).begin);
  device.now_s += 5.0;
  device.mark(marks.collective(1).end);
  marks.end_wait(sync::Within::kSync);
  timer.end_sync();
  device.now_s += 7.0;
  timer.end();

  const train::RankSteps record = timer.finish();
  REQUIRE(record.times.size() == 1);
  const StepTimes& times = record.times[0];
  CHECK(times[train::kStepTime] == 28.0);
  CHECK(times[train::kDataTime] == 1.0);
  CHECK(times[train::kForwardTime] == 2.0 + 4.0);
  CHECK(times[train::kBackwardTime] == 3.0 + 4.5);
  CHECK(times[train::kExposedCommunication] == 0.5 + 6.0);
  CHECK(times[train::kOptimizerTime] == 7.0);
  CHECK(times[train::kOtherTime] == 0.0);
  CHECK(times[train::kCommunicationTime] == 6.0 + 5.0);
  CHECK(record.collective_s == std::vector<double>{6.0, 5.0});
}

// Two forwards of 2 and 4 s, then two backwards of 3 and 5, as in a stage of a pipeline.
TEST_CASE("passes are timed in the order in which they are made", "[train]") {
  FakeDevice device(0.0);
  using enum train::SpanKind;
  StepTimer timer(device,
                  {.has_spans = true,
                   .micro_steps = 2,
                   .passes = {kForward, kForward, kBackward, kBackward},
                   .collectives = 0,
                   .waits = 1,
                   .steps = 1});

  timer.begin();
  timer.communication()->clear();
  timer.end_data();
  for (const double forward_s : {2.0, 4.0}) {
    device.now_s += forward_s;
    timer.end_forward();
  }
  for (const double backward_s : {3.0, 5.0}) {
    device.now_s += backward_s;
    timer.end_backward();
  }
  timer.end_sync();
  timer.end();

  const train::RankSteps record = timer.finish();
  CHECK(record.times[0][train::kForwardTime] == 6.0);
  CHECK(record.times[0][train::kBackwardTime] == 8.0);
  CHECK(record.times[0][train::kOtherTime] == 0.0);
  std::vector<std::pair<std::size_t, double>> backwards;
  for (const train::Span& span : record.spans) {
    if (span.kind == train::SpanKind::kBackward) {
      backwards.emplace_back(span.index, span.duration_s);
    }
  }
  CHECK(backwards == std::vector<std::pair<std::size_t, double>>{{0, 3.0}, {1, 5.0}});
}

// The clock runs 500 ppm fast; 3 s pass before the first step and 2 s behind the last. Ten steps of
// five phases of 1 s; the third step begins at 10 s and its phases end at 11, ..., 15 s.
TEST_CASE("what another clock tells has its place among the spans, however fast that runs",
          "[train]") {
  FakeDevice device(0.0);
  const auto clock_ns = [&] {
    return 1'795'591'387'000'000'001U +
           static_cast<std::uint64_t>(std::llround(device.now_s * 1.0005e9));
  };
  StepTimer timer(device, {.has_spans = true, .steps = 10});
  timer.match_clock(clock_ns);
  device.now_s += 3.0;
  std::vector<std::uint64_t> told_ns;
  for (int i = 0; i < 10; ++i) {
    told_ns.push_back(clock_ns());
    time_step(timer, device, 1.0);
  }
  device.now_s += 2.0;
  timer.match_clock(clock_ns);

  const train::RankSteps record = timer.finish();
  REQUIRE(record.clock_matches.size() == 2);
  CHECK(record.clock_matches[0].trace_s == Approx(-3.0));
  CHECK(record.clock_matches[1].trace_s == Approx(52.0));
  for (std::size_t i = 0; i < told_ns.size(); ++i) {
    CHECK(std::abs(train::to_trace_s(record.clock_matches, told_ns[i]) -
                   static_cast<double>(5 * i)) < 1e-8);
  }
}

TEST_CASE("time between backward and the optimizer that waits for nothing is in no phase",
          "[train]") {
  FakeDevice device(0.0);
  StepTimer timer(device, {.steps = 1});

  timer.begin();
  timer.end_data();
  timer.end_forward();
  sync::CommunicationMarks& marks = *timer.communication();
  marks.clear();
  device.mark(marks.collective(0).begin);
  device.mark(marks.collective(0).end);
  timer.end_backward();
  device.now_s += 0.25;
  timer.end_sync();
  timer.end();

  const StepTimes times = timer.finish().times[0];
  CHECK(times[train::kOtherTime] == 0.25);
  CHECK(times[train::kStepTime] == 0.25);
}

// More steps than marks are kept for.
TEST_CASE("each step has its own times, however many there are", "[train]") {
  constexpr std::size_t steps = 3 * StepTimer::kStepsInFlight + 1;
  FakeDevice device(0.0);
  StepTimer timer(device, {.steps = steps});

  for (std::size_t i = 0; i < steps; ++i) {
    time_step(timer, device, static_cast<double>(i + 1));
  }

  const train::RankSteps record = timer.finish();
  REQUIRE(record.times.size() == steps);
  REQUIRE(record.collective_s.size() == steps);
  for (std::size_t i = 0; i < steps; ++i) {
    const auto phase_s = static_cast<double>(i + 1);
    CHECK(record.times[i][train::kStepTime] == 5.0 * phase_s);
    CHECK(record.times[i][train::kForwardTime] == phase_s);
    CHECK(record.collective_s[i] == 2.0 * phase_s);
  }
}

// A gap of 0.5 s before each step, which a loop around it spends.
TEST_CASE("step times add up to the wall time, with what passes between steps", "[train]") {
  constexpr std::size_t warmup = 2;
  constexpr std::size_t steps = 3 * StepTimer::kStepsInFlight;
  const bool has_phases = GENERATE(true, false);
  FakeDevice device(0.0);
  StepTimer timer(device, {.has_phases = has_phases, .steps = steps});

  double measured_from_s = 0.0;
  for (std::size_t i = 0; i < steps; ++i) {
    device.now_s += 0.5;
    if (i == warmup) {
      timer.begin_window();
      device.now_s += 100.0;  // ranks wait for each other
      measured_from_s = device.now_s;
    }
    time_step(timer, device, 1.0);
  }

  const std::vector<StepTimes> times = timer.finish().times;
  double measured_s = 0.0;
  for (std::size_t i = warmup; i < steps; ++i) {
    measured_s += times[i][train::kStepTime];
  }
  CHECK(measured_s == device.now_s - measured_from_s);
  CHECK(times[warmup][train::kStepTime] == times[0][train::kStepTime]);
  if (has_phases) {
    CHECK(times[0][train::kOtherTime] == 0.0);
    CHECK(times[1][train::kOtherTime] == 0.5);
    CHECK(times[warmup][train::kOtherTime] == 0.0);
    CHECK(times[steps - 1][train::kOtherTime] == 0.5);
  }
}

TEST_CASE("step times may be asked for between steps, any number of times", "[train]") {
  FakeDevice device(0.0);
  constexpr std::size_t steps = 3 * StepTimer::kStepsInFlight;
  StepTimer timer(device, {.steps = steps});

  for (std::size_t i = 0; i < steps; ++i) {
    time_step(timer, device, static_cast<double>(i + 1));
    if (i == 2 || i == StepTimer::kStepsInFlight + 3) {
      CHECK(timer.step_times_s().size() == i + 1);
      CHECK(timer.step_times_s().back() == 5.0 * static_cast<double>(i + 1));
    }
  }

  const std::vector<StepTimes> times = timer.finish().times;
  REQUIRE(times.size() == steps);
  for (std::size_t i = 0; i < steps; ++i) {
    CHECK(times[i][train::kStepTime] == 5.0 * static_cast<double>(i + 1));
  }
}

// A pause of 100 s before every third step, or before each: several steps are in flight. Light
// timing leaves out two of the five phases that time_step() makes.
TEST_CASE("what passes in a pause is in no step's time", "[train]") {
  const bool has_phases = GENERATE(true, false);
  const std::size_t every = GENERATE(3U, 1U);
  FakeDevice device(0.0);
  constexpr std::size_t steps = 3 * StepTimer::kStepsInFlight;
  StepTimer timer(device, {.has_phases = has_phases, .steps = steps});

  for (std::size_t i = 0; i < steps; ++i) {
    device.now_s += 0.5;
    if (i > 0 && i % every == 0) {
      timer.pause();
      device.now_s += 100.0;
    }
    if (i == 6) {
      timer.begin_window();
    }
    time_step(timer, device, static_cast<double>(i + 1));
  }
  timer.pause();
  device.now_s += 100.0;

  const std::vector<StepTimes> times = timer.finish().times;
  REQUIRE(times.size() == steps);
  for (std::size_t i = 0; i < steps; ++i) {
    const double before_s = i % every == 0 ? 0.0 : 0.5;
    const double phases = has_phases ? 5.0 : 3.0;
    CHECK(times[i][train::kStepTime] == before_s + phases * static_cast<double>(i + 1));
  }
}

TEST_CASE("light timing marks where a step ends only", "[train]") {
  FakeDevice device;  // 1 s a mark
  StepTimer timer(device, {.has_phases = false, .steps = 2});

  time_step(timer, device, 0.0);
  time_step(timer, device, 0.0);

  CHECK(device.now_s == 3.0);
  const train::RankSteps record = timer.finish();
  REQUIRE(record.times.size() == 2);
  CHECK(record.times[1][train::kStepTime] == 1.0);
  CHECK(record.times[1][train::kForwardTime] == 0.0);
  CHECK(record.collective_s.empty());
}

// By hand: two steps of five phases of 1 s; before the second, which begins a window, 3 s of
// waiting for other ranks.
TEST_CASE("spans lie on one time line, waiting between steps included", "[train]") {
  using train::Span;
  using train::SpanKind;
  FakeDevice device(0.0);
  StepTimer timer(device, {.has_spans = true, .steps = 2});
  time_step(timer, device, 1.0);
  timer.begin_window();
  device.now_s += 3.0;
  time_step(timer, device, 1.0);

  const std::vector<Span> spans = timer.finish().spans;
  const auto find = [&](SpanKind kind, std::size_t step) {
    std::vector<Span> found;
    for (const Span& span : spans) {
      if (span.kind == kind) {
        found.push_back(span);
      }
    }
    REQUIRE(found.size() == 2);
    return found.at(step);
  };
  CHECK(find(SpanKind::kStep, 0).from_s == 0.0);
  CHECK(find(SpanKind::kStep, 0).duration_s == 5.0);
  CHECK(find(SpanKind::kStep, 1).from_s == 8.0);
  CHECK(find(SpanKind::kStep, 1).index == 1);
  CHECK(find(SpanKind::kData, 1).from_s == 8.0);
  CHECK(find(SpanKind::kForward, 1).from_s == 9.0);
  CHECK(find(SpanKind::kBackward, 0).from_s == 2.0);
  CHECK(find(SpanKind::kSync, 0).duration_s == 1.0);
  CHECK(find(SpanKind::kUpdate, 1).from_s == 12.0);
  // From the end of forward until all that waited for it goes on.
  CHECK(find(SpanKind::kCollective, 1).from_s == 10.0);
  CHECK(find(SpanKind::kCollective, 1).duration_s == 2.0);
  CHECK(find(SpanKind::kWait, 0).from_s == 3.0);
  CHECK(find(SpanKind::kWait, 0).duration_s == 1.0);
}

TEST_CASE("no spans are kept where nobody asked", "[train]") {
  FakeDevice device(0.0);
  StepTimer timer(device, {.steps = 1});
  time_step(timer, device, 1.0);
  CHECK(timer.finish().spans.empty());
}
