// Step times of every rank, as the series of the trial protocol.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/collective/layout.h"
#include "workloads/protocol/events.h"

namespace scalestudy::collective {

// Seconds of an operation as [rank][step], warm-up first; every rank has as many steps.
using AllSteps = std::vector<std::vector<double>>;

// Series of the slowest rank's step_time_s, of the algbw_bytes_per_s and busbw_bytes_per_s that
// follow from it, then of each rank's step_time_s.
std::vector<protocol::Samples> make_series(const AllSteps& all,
                                           const Layout& layout,
                                           std::size_t warmup);

// Series of the slowest rank's bytes/s.
// - rates: bytes/s as [rank][value].
protocol::Samples make_rate_series(const char* metric,
                                   const std::vector<std::vector<double>>& rates,
                                   std::size_t warmup);

}  // namespace scalestudy::collective
