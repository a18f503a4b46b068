// What a rank's GPU did in the steps of a trace, on the trace's time line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/cuda/activity.h"
#include "workloads/train/times/clock_match.h"
#include "workloads/train/times/trace.h"

namespace scalestudy::train {

struct GpuSpan {
  std::size_t name = 0;   // in GpuTrace::names
  std::size_t track = 0;  // in GpuTrace::tracks
  double from_s = 0.0;    // since the rank's first step began
  double duration_s = 0.0;
  std::optional<std::uint64_t> bytes = std::nullopt;  // of copies and memsets
};

struct GpuTrace {
  std::vector<std::string> names = {};
  std::vector<std::string> tracks = {};  // "GPU 0, context 1, stream 7": what ran in a queue
  std::vector<GpuSpan> spans = {};       // in order of their start
  std::vector<std::string> notes = {};   // sentences: what is missing and why, and how exact it is
};

// Places on the trace's time line the activities whose middle lies in a step of `spans`; the others
// are counted in a note.
// - matches: of the trace with CUPTI's clock, one or more.
GpuTrace place(const cuda::Activities& activities,
               const std::vector<Span>& spans,
               std::span<const ClockMatch> matches);

}  // namespace scalestudy::train
