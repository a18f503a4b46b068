#include "workloads/train/record/gpu_tracer.h"

#include <cstdio>

#include "workloads/cuda/backend.h"
#include "workloads/rank/error.h"

namespace scalestudy::train {

void GpuTracer::begin(Trainer& trainer) {
  if (!is_on_) {
    return;
  }
  try {
    recorder_.emplace(cuda::major_version(cuda::load_backend().versions()["cuda_runtime"]));
    trainer.match_clock(cuda::ActivityRecorder::now_ns);
  } catch (const rank::WorkloadError& error) {
    why_not_ = std::string("no kernels of the GPU are in it: ") + error.what();
    if (rank_ == 0) {
      std::fprintf(stderr, "trace: %s\n", why_not_.c_str());
    }
  }
}

void GpuTracer::end(Trainer& trainer) {
  if (recorder_) {
    trainer.match_clock(cuda::ActivityRecorder::now_ns);
    activities_ = recorder_->stop();
    recorder_.reset();
  }
}

GpuTrace GpuTracer::trace(const RankSteps& steps) const {
  if (!why_not_.empty()) {
    return {.notes = {why_not_}};
  }
  if (is_on_ && steps.clock_matches.empty()) {
    return {.notes = {"no step was left to this process"}};
  }
  return is_on_ ? place(activities_, steps.spans, steps.clock_matches) : GpuTrace();
}

}  // namespace scalestudy::train
