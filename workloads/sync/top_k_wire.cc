#include "workloads/sync/top_k_wire.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace scalestudy::sync {
namespace {

// Of a packed part, whose values need not be aligned.
template <typename Value>
void put(std::byte* values, std::size_t i, Value value) {
  std::memcpy(values + i * sizeof(Value), &value, sizeof(Value));
}

template <typename Value>
Value get(const std::byte* values, std::size_t i) {
  Value value;
  std::memcpy(&value, values + i * sizeof(Value), sizeof(Value));
  return value;
}

template <typename T>
std::size_t wire_bytes(double share, std::size_t ranks, const std::vector<Bucket>& buckets) {
  std::size_t bytes = 0;
  for (const Bucket& bucket : buckets) {
    bytes += ranks * top_k_bytes(share, bucket.size_bytes / sizeof(T), sizeof(T));
  }
  return bytes;
}

}  // namespace

std::size_t top_k_count(double share, std::size_t count) {
  const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
  return std::clamp<std::size_t>(wanted, 1, count);
}

std::size_t top_k_bytes(double share, std::size_t count, std::size_t element_bytes) {
  return top_k_count(share, count) * (element_bytes + sizeof(std::uint32_t));
}

template <typename T>
std::size_t TopKWire<T>::memory_bytes(double share,
                                      std::size_t ranks,
                                      const std::vector<Bucket>& buckets) {
  const Bucket& last = buckets.back();
  return last.offset_bytes + last.size_bytes +
         largest_bytes(buckets) / sizeof(T) * sizeof(std::uint32_t) +
         wire_bytes<T>(share, ranks, buckets);
}

template <typename T>
TopKWire<T>::TopKWire(device::Arena& arena,
                      std::span<T> gradients,
                      const std::vector<Bucket>& buckets,
                      double share,
                      std::size_t rank,
                      std::size_t ranks)
    : gradients_(gradients),
      rank_(rank),
      ranks_(ranks),
      residuals_(arena.take<T>(gradients.size())),
      order_(arena.take<std::uint32_t>(largest_bytes(buckets) / sizeof(T))),
      wire_(arena.take<std::byte>(wire_bytes<T>(share, ranks, buckets))) {
  std::size_t begin = 0;
  for (const Bucket& bucket : buckets) {
    const std::size_t count = bucket.size_bytes / sizeof(T);
    places_.push_back({bucket.offset_bytes / sizeof(T), count, top_k_count(share, count), begin});
    begin += ranks * part_bytes(places_.back());
  }
}

template <typename T>
comm::Buffer TopKWire<T>::pack(std::size_t bucket) {
  const Place& place = places_[bucket];
  const std::span<T> residuals = residuals_.subspan(place.first, place.count);
  for (std::size_t i = 0; i < place.count; ++i) {
    residuals[i] = static_cast<T>(residuals[i] + gradients_[place.first + i]);
  }
  const std::span<std::uint32_t> order = order_.first(place.count);
  std::iota(order.begin(), order.end(), 0U);
  if (place.sent < place.count) {
    std::nth_element(order.begin(),
                     order.begin() + static_cast<std::ptrdiff_t>(place.sent),
                     order.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const device::Real<T> size_a = std::abs(device::Real<T>(residuals[a]));
                       const device::Real<T> size_b = std::abs(device::Real<T>(residuals[b]));
                       return size_a != size_b ? size_a > size_b : a < b;
                     });
  }
  std::byte* const values = part_of(place, rank_);
  std::byte* const indices = values + place.sent * sizeof(T);
  for (std::size_t i = 0; i < place.sent; ++i) {
    put(values, i, residuals[order[i]]);
    put(indices, i, order[i]);
    residuals[order[i]] = T(0);
  }
  // Gathered as words that no one computes with.
  return {
      part_of(place, 0), ranks_ * part_bytes(place) / sizeof(float), device::DataType::kFloat32};
}

template <typename T>
void TopKWire<T>::unpack(std::size_t bucket) {
  const Place& place = places_[bucket];
  const std::span<T> gradients = gradients_.subspan(place.first, place.count);
  std::fill(gradients.begin(), gradients.end(), T(0));
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const std::byte* const values = part_of(place, rank);
    const std::byte* const indices = values + place.sent * sizeof(T);
    for (std::size_t i = 0; i < place.sent; ++i) {
      const auto index = get<std::uint32_t>(indices, i);
      if (index < gradients.size()) {  // the control that sends one element leaves others
        gradients[index] = static_cast<T>(gradients[index] + get<T>(values, i));
      }
    }
  }
}

template class TopKWire<float>;
template class TopKWire<double>;
template class TopKWire<device::Bf16>;
template class TopKWire<device::Half>;

}  // namespace scalestudy::sync
