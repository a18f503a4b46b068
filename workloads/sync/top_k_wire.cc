#include "workloads/sync/top_k_wire.h"

#include <algorithm>
#include <cmath>

namespace scalestudy::sync {

std::size_t top_k_count(double share, std::size_t count) {
  const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
  return std::clamp<std::size_t>(wanted, 1, count);
}

std::size_t top_k_bytes(double share, std::size_t count, std::size_t element_bytes) {
  return ops::top_k_part_bytes(top_k_count(share, count), element_bytes);
}

template <typename T>
TopKWire<T>::TopKWire(ops::Ops<T>& ops,
                      device::Arena& arena,
                      std::span<T> gradients,
                      const std::vector<Bucket>& buckets,
                      double share,
                      std::size_t rank,
                      std::size_t ranks)
    : gradients_(gradients),
      rank_(rank),
      ranks_(ranks),
      residuals_(arena.take<device::Real<T>>(gradients.size())),
      select_(ops.make_top_k(largest_bytes(buckets) / sizeof(T), arena)) {
  std::size_t bytes = 0;
  for (const Bucket& bucket : buckets) {
    const std::size_t count = bucket.size_bytes / sizeof(T);
    places_.push_back({bucket.offset_bytes / sizeof(T), count, top_k_count(share, count), bytes});
    bytes += ranks * part_bytes(places_.back());
  }
  wire_ = arena.take<std::byte>(bytes);
}

template <typename T>
comm::Buffer TopKWire<T>::pack(std::size_t bucket) {
  const Place& place = places_[bucket];
  select_->pack(gradients_.subspan(place.first, place.count),
                residuals_.subspan(place.first, place.count),
                place.sent,
                part_of(place, rank_));
  // Gathered as words that no one computes with, of which each part has a whole number.
  constexpr device::DataType word =
      sizeof(T) == 2 ? device::DataType::kFloat16 : device::DataType::kFloat32;
  return {part_of(place, 0), ranks_ * part_bytes(place) / device::size_bytes(word), word};
}

template <typename T>
void TopKWire<T>::unpack(std::size_t bucket) {
  const Place& place = places_[bucket];
  select_->unpack(
      part_of(place, 0), ranks_, place.sent, gradients_.subspan(place.first, place.count));
}

template class TopKWire<float>;
template class TopKWire<double>;
template class TopKWire<device::Bf16>;
template class TopKWire<device::Half>;

}  // namespace scalestudy::sync
