// One trial of `train`: set up, warm up, measure, report.
#pragma once

#include "workloads/protocol/writer.h"
#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"
#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// texts   as merge() returned them.
// writer  where the trial protocol goes (rank 0 only); null: a summary to stdout instead.
// make    makes the trainer; tests have their own.
// Returns the exit code; 1 when a correctness check failed.
int run(const Texts& texts,
        const rank::World& world,
        protocol::Writer* writer,
        const TrainerFactory& make = make_trainer);

}  // namespace scalestudy::train
