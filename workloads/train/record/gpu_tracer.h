// Records for a trace what a rank's GPU does in its steps, where there is a trace and a GPU.
#pragma once

#include <optional>
#include <string>

#include "workloads/cuda/activity.h"
#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"
#include "workloads/train/step/trainer.h"
#include "workloads/train/times/gpu_trace.h"

namespace scalestudy::train {

// Does nothing, and CUPTI is not loaded, without spans or on the CPU. What keeps it from recording
// is a note of the trace and a line of rank 0's stderr, "trace: ...", and ends no trial. Main
// thread only.
class GpuTracer {
 public:
  GpuTracer(const Options& options, const rank::World& world)
      : is_on_(options.has_spans && options.backend == Backend::kCuda), rank_(world.rank()) {}

  // Before the first step; a barrier between the two lets ranks begin together.
  void begin(Trainer& trainer);
  // Behind the last one. Waits for it.
  void end(Trainer& trainer);

  // Of steps, behind the last of them: what Trainer::finish() told.
  GpuTrace trace(const RankSteps& steps) const;

 private:
  bool is_on_;
  int rank_;
  std::optional<cuda::ActivityRecorder> recorder_;
  cuda::Activities activities_;
  std::string why_not_;  // ""; or why it does not record
};

}  // namespace scalestudy::train
