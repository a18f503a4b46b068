// Makes the form in which gradients travel, and tells how much memory staging them takes.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "workloads/sync/buckets.h"
#include "workloads/sync/rounded_wire.h"
#include "workloads/sync/top_k_wire.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The wire that packs gradients; nullptr if they travel unchanged. All arguments but the options
// outlive it.
//   gradients  all of the model's.
template <typename T>
std::unique_ptr<sync::Wire> make_wire(const Options& options,
                                      std::size_t rank,
                                      ops::Ops<T>& ops,
                                      device::Arena& arena,
                                      std::span<T> gradients,
                                      const std::vector<sync::Bucket>& buckets) {
  if (has_top_k(options)) {
    return std::make_unique<sync::TopKWire<T>>(
        ops, arena, gradients, buckets, options.top_k, rank, options.ranks());
  }
  if (has_other_wire<T>(options)) {
    return std::make_unique<sync::RoundedWire<T>>(
        ops, arena, gradients, buckets, *options.wire_type);
  }
  return nullptr;
}

// What powersgd sends for gradients; nullptr with another strategy. All arguments outlive it.
//   gradients  all of the model's.
template <typename T>
std::unique_ptr<sync::LowRank<T>> make_low_rank(const Options& options,
                                                ops::Ops<T>& ops,
                                                device::Arena& arena,
                                                std::span<T> gradients) {
  if constexpr (std::is_same_v<T, device::Real<T>>) {
    if (has_power_sgd(options)) {
      return std::make_unique<sync::LowRank<T>>(
          ops, arena, gradients, gradient_tensors(options), options.power_sgd_rank);
    }
  }
  return nullptr;
}

// The most bytes that are staged at once if the host sends: a bucket, and a rank's share of it.
template <typename T>
std::size_t staging_bytes(const Options& options, std::span<const sync::Bucket> buckets) {
  const std::size_t own = sync::largest_bytes(buckets);
  if (options.sync_every > 0) {
    return own / sizeof(T) * sizeof(device::Real<T>);
  }
  if (has_power_sgd(options)) {
    const sync::LowRankCounts counts =
        sync::low_rank_counts(gradient_tensors(options), options.power_sgd_rank);
    return std::max(counts.first(), counts.coefficients) * sizeof(T);
  }
  if (has_top_k(options)) {  // what all gather, and the rank's own of it
    return (options.ranks() + 1) * sync::top_k_bytes(options.top_k, own / sizeof(T), sizeof(T));
  }
  const std::size_t travels =
      has_other_wire<T>(options) ? own / sizeof(T) * device::size_bytes(*options.wire_type) : own;
  const std::size_t bytes = std::max(own, travels);
  return options.sharding == Sharding::kNone ? travels : bytes + bytes / options.ranks();
}

}  // namespace scalestudy::train
