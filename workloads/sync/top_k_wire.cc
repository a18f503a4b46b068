#include "workloads/sync/top_k_wire.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

constexpr std::size_t kSizes = std::size_t{1} << 16U;

// The leading bits of a number's size: larger numbers have no smaller ones.
std::size_t size_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x7FFFFFFFU) >> 15U;
}
std::size_t size_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x7FFFFFFFFFFFFFFFU) >> 47U;
}
std::size_t size_of(device::Bf16 value) {
  return value.bits & 0x7FFFU;
}
std::size_t size_of(device::Half value) {
  return value.bits & 0x7FFFU;
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
         (largest_bytes(buckets) / sizeof(T) + kSizes) * sizeof(std::uint32_t) +
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
      candidates_(arena.take<std::uint32_t>(largest_bytes(buckets) / sizeof(T))),
      counts_(arena.take<std::uint32_t>(kSizes)),
      wire_(arena.take<std::byte>(wire_bytes<T>(share, ranks, buckets))) {
  std::size_t begin = 0;
  for (const Bucket& bucket : buckets) {
    const std::size_t count = bucket.size_bytes / sizeof(T);
    places_.push_back({bucket.offset_bytes / sizeof(T), count, top_k_count(share, count), begin});
    begin += ranks * part_bytes(places_.back());
  }
}

// One pass over leading bits leaves few to be compared: a step of mlp-6.9m on two ranks takes 23
// ms, and 77 ms with a selection among all of a bucket.
template <typename T>
typename TopKWire<T>::Least TopKWire<T>::least_size(std::span<const T> values, std::size_t count) {
  std::fill(counts_.begin(), counts_.end(), 0U);
  for (const T value : values) {
    ++counts_[size_of(value)];
  }
  std::size_t size = kSizes - 1;
  for (; counts_[size] < count; --size) {
    count -= counts_[size];
  }
  return {size, count};
}

template <typename T>
comm::Buffer TopKWire<T>::pack(std::size_t bucket) {
  const Place& place = places_[bucket];
  const std::span<T> residuals = residuals_.subspan(place.first, place.count);
  for (std::size_t i = 0; i < place.count; ++i) {
    residuals[i] = static_cast<T>(residuals[i] + gradients_[place.first + i]);
  }
  std::byte* const values = part_of(place, rank_);
  std::byte* const indices = values + place.sent * sizeof(T);
  std::size_t sent = 0;
  const auto send = [&](std::size_t i) {
    put(values, sent, residuals[i]);
    put(indices, sent, static_cast<std::uint32_t>(i));
    residuals[i] = T(0);
    ++sent;
  };
  const auto [least, of_least] = least_size(residuals, place.sent);
  std::size_t like_least = 0;
  for (std::size_t i = 0; i < place.count; ++i) {
    const std::size_t size = size_of(residuals[i]);
    if (size > least) {
      send(i);
    } else if (size == least) {
      candidates_[like_least++] = static_cast<std::uint32_t>(i);
    }
  }
  const auto begin = candidates_.begin();
  if (of_least < like_least) {
    std::nth_element(begin,
                     begin + static_cast<std::ptrdiff_t>(of_least),
                     begin + static_cast<std::ptrdiff_t>(like_least),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const device::Real<T> size_a = std::abs(device::Real<T>(residuals[a]));
                       const device::Real<T> size_b = std::abs(device::Real<T>(residuals[b]));
                       return size_a != size_b ? size_a > size_b : a < b;
                     });
  }
  for (std::size_t i = 0; i < of_least; ++i) {
    send(candidates_[i]);
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
