// How much of a trial's time its step times cover, and when the lines that tell them arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/run/process/launcher.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// A line of a trial's output that gave step times.
struct StepLine {
  std::int64_t end_bytes = 0;  // bytes of the output up to its end
  std::size_t values = 0;      // step times of all ranks that the output had given by then
};

// The lines of one stream that gave step times, in order.
struct StepLines {
  ExtractSource stream = ExtractSource::kStdout;
  std::vector<StepLine> lines;  // at most a million, from the start
  std::size_t values = 0;       // step times of all ranks in all lines
};

// All step times of a series, warm-up included, over the wall time; absent if either is missing.
std::optional<double> steps_share(std::span<const SeriesRow> series, std::optional<double> wall_s);

// Time from one step to the next by the arrival of the lines that tell them: the median over five
// or more stretches of the trial, so that pauses between some steps do not count. Absent unless the
// lines came one by one: at ten looks or more, and either in half of the looks or hardly more than
// one line at a time. A program that writes in blocks, as Python does into a file, gives none.
// - growth: of the stream, as the launcher saw it.
// - steps: how many steps the lines tell of; ranks may each have a line for the same step.
std::optional<double> arrival_step_s(std::span<const LogGrowth> growth,
                                     const StepLines& lines,
                                     std::size_t steps);

// Sets the trial's steps_share and arrival_step_s. Where only every tenth step has a line, or each
// has the time of ten, as the record's telemetry tells (step_interval, steps_of_value), a line
// stands for ten steps.
void take_step_coverage(const LaunchResult& launch, const StepLines& lines, TrialRecord& record);

// The same for a trial whose output was read again. Nobody watches its lines arrive a second time:
// arrival_step_s stays as it is if each step has a line, as many as before, else it is absent.
// - before: the series of the earlier reading.
void take_step_coverage(std::span<const SeriesRow> before, TrialRecord& record);

}  // namespace scalestudy
