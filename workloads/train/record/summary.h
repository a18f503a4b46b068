// What a run by hand prints.
#pragma once

#include <vector>

#include "workloads/protocol/events.h"
#include "workloads/train/options/options.h"
#include "workloads/train/record/series.h"

namespace scalestudy::train {

// To stdout. Figures of one launch: they say nothing about its spread.
void print_summary(const protocol::Start& start,
                   const Options& options,
                   const AllSteps& all,
                   const SeriesLayout& layout,
                   const std::vector<protocol::Check>& checks);

}  // namespace scalestudy::train
