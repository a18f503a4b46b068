// Records for a trace what a rank's GPU does in its steps.
#pragma once

#include <optional>
#include <string>

#include "workloads/cuda/activity.h"
#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"
#include "workloads/train/step/trainer.h"
#include "workloads/train/times/gpu_trace.h"

namespace scalestudy::train {

// Without spans or on the CPU it does nothing and loads no CUPTI. A failure to record ends no
// trial: it becomes a note of the trace and a line of rank 0's stderr, "trace: ...". Main thread
// only.
class GpuTracer {
 public:
  GpuTracer(const Options& options, const rank::World& world)
      : is_on_(options.has_spans && options.backend == Backend::kCuda), rank_(world.rank()) {}

  // Call it before the first step; a barrier between the two lets ranks begin together.
  void begin(Trainer& trainer);
  // Call it after the last step, for which it waits.
  void end(Trainer& trainer);

  // The GPU's part of a trace.
  // - steps: as Trainer::finish() returned them.
  GpuTrace trace(const RankSteps& steps) const;

 private:
  bool is_on_;
  int rank_;
  std::optional<cuda::ActivityRecorder> recorder_;
  cuda::Activities activities_;
  std::string why_not_;  // why it does not record; "" if it does
};

}  // namespace scalestudy::train
