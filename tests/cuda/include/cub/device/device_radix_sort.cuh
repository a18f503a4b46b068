// Stands for CUB's header of that name: what the product uses of it, executed by the standard
// library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <cuda_runtime.h>

#include "tests/cuda/fake_gpu.h"

namespace cub {

struct DeviceRadixSort {
  template <typename Key, typename Value, typename Count>
  static cudaError_t SortPairs(void* space,
                               std::size_t& space_bytes,
                               const Key* keys,
                               Key* sorted_keys,
                               const Value* values,
                               Value* sorted_values,
                               Count count,
                               int begin_bit,
                               int end_bit,
                               cudaStream_t stream) {
    namespace test = scalestudy::test;
    static_assert(sizeof(Key) == sizeof(unsigned));
    const auto items = static_cast<std::size_t>(count);
    const std::size_t needed_bytes = items * (sizeof(Key) + sizeof(Value)) + 1;
    if (space == nullptr) {
      space_bytes = needed_bytes;
      return cudaSuccess;
    }
    if (space_bytes < needed_bytes || !test::is_on_device(space, needed_bytes) ||
        !test::is_on_device(keys, items * sizeof(Key)) ||
        !test::is_on_device(sorted_keys, items * sizeof(Key)) ||
        !test::is_on_device(values, items * sizeof(Value)) ||
        !test::is_on_device(sorted_values, items * sizeof(Value)) || !test::is_known(stream) ||
        keys == sorted_keys || values == sorted_values || begin_bit != 0 ||
        end_bit != 8 * static_cast<int>(sizeof(Key))) {
      test::set_reason("cub::DeviceRadixSort::SortPairs cannot take these arguments");
      return cudaErrorInvalidValue;
    }
    std::memset(space, 0xA5, needed_bytes);
    std::vector<std::size_t> order(items);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [keys](std::size_t a, std::size_t b) {
      return keys[a] < keys[b];
    });
    for (std::size_t i = 0; i < items; ++i) {
      sorted_keys[i] = keys[order[i]];
      sorted_values[i] = values[order[i]];
    }
    return cudaSuccess;
  }
};

}  // namespace cub
