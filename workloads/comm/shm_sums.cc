#include "workloads/comm/shm_sums.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace scalestudy::comm {
namespace {

constexpr std::size_t kBlock = 1024;  // elements, whose sums stay in the nearest cache

// sums = a + b
template <typename T>
void add(device::Real<T>* __restrict sums, const T* a, const T* b, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] = static_cast<device::Real<T>>(a[i]) + static_cast<device::Real<T>>(b[i]);
  }
}

// sums += more
template <typename T>
void add_to(device::Real<T>* __restrict sums, const T* more, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] += static_cast<device::Real<T>>(more[i]);
  }
}

template <typename T>
void round_to(T* __restrict to, const device::Real<T>* sums, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = device::rounded<T>(sums[i]);
  }
}

template <typename T>
void sum(std::size_t count,
         std::span<const std::byte* const> from,
         std::span<std::byte* const> to) {
  const auto source = [&](std::size_t rank, std::size_t first) {
    return reinterpret_cast<const T*>(from[rank]) + first;
  };
  std::array<device::Real<T>, kBlock> sums{};
  for (std::size_t first = 0; from.size() > 1 && first < count; first += kBlock) {
    const std::size_t length = std::min(kBlock, count - first);
    add(sums.data(), source(0, first), source(1, first), length);
    for (std::size_t rank = 2; rank < from.size(); ++rank) {
      add_to(sums.data(), source(rank, first), length);
    }
    for (std::byte* const target : to) {
      round_to(reinterpret_cast<T*>(target) + first, sums.data(), length);
    }
  }
  if (from.size() == 1 && from[0] != to[0]) {
    std::memcpy(to[0], from[0], count * sizeof(T));
  }
}

}  // namespace

void add_elements(device::DataType type,
                  std::size_t count,
                  std::span<const std::byte* const> from,
                  std::span<std::byte* const> to) {
  switch (type) {
    case device::DataType::kFloat32:
      return sum<float>(count, from, to);
    case device::DataType::kFloat64:
      return sum<double>(count, from, to);
    case device::DataType::kBfloat16:
      return sum<device::Bf16>(count, from, to);
    case device::DataType::kFloat16:
      return sum<device::Half>(count, from, to);
  }
}

}  // namespace scalestudy::comm
