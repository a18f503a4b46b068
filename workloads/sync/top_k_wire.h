// Sends only the largest gradients of each bucket; the others are added to the next step's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "workloads/device/arena.h"
#include "workloads/ops/ops.h"
#include "workloads/sync/wire.h"

namespace scalestudy::sync {

// How many of `count` gradients travel: the share `share`, in (0, 1], at least one.
std::size_t top_k_count(double share, std::size_t count);

// Bytes that a rank sends for them: a value and an index each.
std::size_t top_k_bytes(double share, std::size_t count, std::size_t element_bytes);

// Top-k with error feedback: the k largest sums of gradient and residual travel as they are and
// leave a residual of zero, every other sum is the next step's residual. Ranks gather each other's
// and add them in order of rank, so that all get the same bits. source: Stich et al., "Sparsified
// SGD with memory", NeurIPS 2018, algorithm 1; of equal sizes the first ones travel. Residuals of
// 16-bit gradients are of 32 bits, and keep what rounding took from those that travelled.
template <typename T>
class TopKWire final : public Wire {
 public:
  // Operations, the arena and what `gradients` point to outlive this.
  TopKWire(ops::Ops<T>& ops,
           device::Arena& arena,
           std::span<T> gradients,
           const std::vector<Bucket>& buckets,
           double share,
           std::size_t rank,
           std::size_t ranks);

  bool is_gathered() const override { return true; }
  comm::Buffer pack(std::size_t bucket) override;
  void unpack(std::size_t bucket) override;

  // The residual of each gradient.
  std::span<const device::Real<T>> residuals() const { return residuals_; }

 private:
  struct Place {
    std::size_t first;       // gradient
    std::size_t count;       // gradients
    std::size_t sent;        // of them, by each rank
    std::size_t wire_bytes;  // where the ranks' parts begin
  };

  static std::size_t part_bytes(const Place& place) {
    return ops::top_k_part_bytes(place.sent, sizeof(T));
  }
  std::byte* part_of(const Place& place, std::size_t rank) const {
    return wire_.data() + place.wire_bytes + rank * part_bytes(place);
  }

  std::span<T> gradients_;
  std::vector<Place> places_;  // of each bucket
  std::size_t rank_;
  std::size_t ranks_;
  std::span<device::Real<T>> residuals_;
  std::unique_ptr<ops::TopK<T>> select_;
  std::span<std::byte> wire_;  // of each bucket the parts of all ranks
};

extern template class TopKWire<float>;
extern template class TopKWire<double>;
extern template class TopKWire<device::Bf16>;
extern template class TopKWire<device::Half>;

}  // namespace scalestudy::sync
