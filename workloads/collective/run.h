// One trial of `collective`: set up, warm up, measure, check, report.
#pragma once

#include "workloads/flags/flags.h"
#include "workloads/protocol/writer.h"
#include "workloads/rank/world.h"

namespace scalestudy::collective {

// texts   as flags::merge() returned them.
// writer  where the trial protocol goes (rank 0 only); null: a summary to stdout instead.
// Returns the exit code; 1 when the data check failed.
int run(const flags::Texts& texts, const rank::World& world, protocol::Writer* writer);

}  // namespace scalestudy::collective
