// One stage of a pipeline: training where each rank has some of the model's layers.
#pragma once

#include <memory>

#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// A step's micro-batches go through the stages by one forward, one backward
// (sync/pipeline_schedule.h). Gradients are summed in the order in which a single rank sums those
// of its micro-steps, so that parameters are the same as there. The loss is the last stage's.
//   options  of for_rank(), with a pipeline. Collective: every rank calls.
std::unique_ptr<Trainer> make_pipeline_trainer(const Options& options, const rank::World& world);

}  // namespace scalestudy::train
