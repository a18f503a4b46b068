// The exchange of each strategy, and what travels by it.
#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "workloads/train/exchange/exchange.h"
#include "workloads/train/exchange/local_sgd.h"
#include "workloads/train/exchange/power_sgd.h"

namespace scalestudy::train {

// Makes the exchange of the options' strategy. A single rank has nothing to approximate, so that
// powersgd is ddp_serial there.
// - options: outlive it; not those of a stage of a pipeline.
template <typename T>
std::unique_ptr<Exchange<T>> make_exchange(const Options& options) {
  if (options.sync_every > 0) {
    return std::make_unique<LocalSgdExchange<T>>(options);
  }
  if constexpr (std::is_same_v<T, device::Real<T>>) {
    if (has_power_sgd(options)) {
      return std::make_unique<PowerSgdExchange<T>>(options);
    }
  }
  return std::make_unique<Exchange<T>>(options);
}

// Bytes that each rank hands over to be summed in a step. local_sgd averages parameters, or fp32
// masters of 16-bit ones, in some steps only: for it the mean over steps.
std::size_t wire_bytes(const Options& options, std::span<const sync::Bucket> buckets);

// The fewest bytes that a rank must send in a step, whatever algorithm moves them: (N-1)/N of what
// N ranks scatter or gather, twice that of what they all-reduce. source: Patarasuk and Yuan, J.
// Parallel Distrib. Comput. 69 (2009), whose ring reaches it.
std::size_t traffic_bytes(const Options& options, std::span<const model::Unit> units);

// The bytes for each rank that leave its node of `node_ranks` ranks in a hierarchical all-reduce:
// all ranks of one of n nodes together send 2 (n-1)/n of the gradients to other nodes.
std::size_t node_traffic_bytes(const Options& options, std::size_t node_ranks);

}  // namespace scalestudy::train
