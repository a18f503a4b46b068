// Writes a rank's time line as a Chrome trace: steps, phases, waits, collectives and what its GPU
// did.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalestudy::train {

enum class SpanKind { kStep, kData, kForward, kBackward, kSync, kUpdate, kWait, kCollective };

struct GpuTrace;  // workloads/train/times/gpu_trace.h

struct Span {
  SpanKind kind = SpanKind::kStep;
  std::size_t index = 0;    // of the step, or of a micro-step, wait or collective in its step
  double from_s = 0.0;      // since the rank's first step began
  double duration_s = 0.0;  // >= 0
};

// The name of a span, "forward 0".
std::string name_of(const Span& span);

// The folder that $SCALESTUDY_TRACE names; "" if no trace is asked for.
std::string trace_folder();

// Writes FOLDER/trace.rank<N>.json in the Trace Event Format, which Perfetto and chrome://tracing
// read: the rank is a process; steps, phases and waits lie in each other, collectives beside them,
// each queue of the GPU on a track of its own. Events are in order of time, in whole nanoseconds;
// the GPU's notes come first. Time 0 is the start of each rank's first step, right after a barrier.
// Throws WorkloadError (failed) if it cannot be written.
void write_trace(const std::string& folder,
                 int rank,
                 const std::vector<Span>& spans,
                 const GpuTrace& gpu);

}  // namespace scalestudy::train
