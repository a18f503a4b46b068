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

// Bytes/s over the ranks: the slowest rank's. rates is [rank][value].
protocol::Samples make_rate_series(const char* metric,
                                   const std::vector<std::vector<double>>& rates,
                                   std::size_t warmup);

}  // namespace scalestudy::collective
