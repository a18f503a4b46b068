// Step times of every rank, as the series of the trial protocol.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/collective/layout.h"
#include "workloads/protocol/events.h"

namespace scalestudy::collective {

// Seconds of an operation, [rank][step], all ranks equally long, warm-up first.
using AllSteps = std::vector<std::vector<double>>;

// step_time_s over the ranks (the slowest rank's), algbw_bytes_per_s and busbw_bytes_per_s that it
// means, then step_time_s of each rank.
std::vector<protocol::Samples> make_series(const AllSteps& all,
                                           const Layout& layout,
                                           std::size_t warmup);

// copy_bandwidth_bytes_per_s over the ranks: the slowest rank's. rates is [rank][value], the first
// value warm-up.
protocol::Samples make_copy_series(const std::vector<std::vector<double>>& rates);

}  // namespace scalestudy::collective
