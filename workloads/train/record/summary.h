// The summary that a run by hand prints.
#pragma once

#include <vector>

#include "workloads/protocol/events.h"
#include "workloads/train/options/options.h"
#include "workloads/train/record/series.h"

namespace scalestudy::train {

// Prints figures of one launch to stdout; they say nothing about the spread between launches.
void print_summary(const protocol::Start& start,
                   const Options& options,
                   const AllSteps& all,
                   const SeriesLayout& layout,
                   const std::vector<protocol::Check>& checks);

}  // namespace scalestudy::train
