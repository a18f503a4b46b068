// Launching a kernel over many elements, and sums within a block in an order that never changes.
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/device/cuda_check.h"

namespace scalestudy::ops {

inline constexpr unsigned kThreads = 256;  // of a block, unless a kernel says otherwise
inline constexpr unsigned kWarp = 32;

inline unsigned block_count(std::size_t elements, std::size_t per_block = kThreads) {
  return static_cast<unsigned>(std::max<std::size_t>((elements + per_block - 1) / per_block, 1));
}

inline void check_launch(const char* kernel, const char* file, int line) {
  device::check_cuda(cudaGetLastError(), kernel, file, line);
}

// Calls element(i) for every i in [0, count).
template <typename Element>
__global__ void for_each_kernel(std::size_t count, Element element) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    element(i);
  }
}

template <typename Element>
void for_each(std::size_t count, const Element& element, cudaStream_t stream) {
  for_each_kernel<<<block_count(count), kThreads, 0, stream>>>(count, element);
  check_launch("for_each_kernel", __FILE__, __LINE__);
}

inline constexpr unsigned kCellRows = kThreads / kWarp;  // of a block in for_each_cell

// Calls cell(row, column) for every element of a matrix. Without for_each's divisions, which cost
// more than a memory access where the element itself does not.
template <typename Cell>
__global__ void for_each_cell_kernel(std::size_t rows, std::size_t columns, Cell cell) {
  const std::size_t column = std::size_t{blockIdx.x} * kWarp + threadIdx.x;
  if (column >= columns) {
    return;
  }
  const std::size_t stride = std::size_t{gridDim.y} * kCellRows;
  for (std::size_t row = std::size_t{blockIdx.y} * kCellRows + threadIdx.y; row < rows;
       row += stride) {
    cell(row, column);
  }
}

template <typename Cell>
void for_each_cell(std::size_t rows, std::size_t columns, const Cell& cell, cudaStream_t stream) {
  constexpr unsigned most_blocks_down = 65535;
  const dim3 blocks(block_count(columns, kWarp),
                    std::min(block_count(rows, kCellRows), most_blocks_down));
  for_each_cell_kernel<<<blocks, dim3(kWarp, kCellRows), 0, stream>>>(rows, columns, cell);
  check_launch("for_each_cell_kernel", __FILE__, __LINE__);
}

struct Plus {
  template <typename Value>
  __device__ Value operator()(Value a, Value b) const {
    return a + b;
  }
};

struct Larger {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

// Combines one value of each of kThreads threads; every thread gets the result.
template <typename Value, typename Combine>
__device__ Value over_block(Value value, Combine combine) {
  __shared__ Value of_warp[kThreads / kWarp];
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    value = combine(value, __shfl_xor_sync(0xFFFFFFFFU, value, offset));
  }
  if (threadIdx.x % kWarp == 0) {
    of_warp[threadIdx.x / kWarp] = value;
  }
  __syncthreads();
  Value total = of_warp[0];
  for (unsigned warp = 1; warp < kThreads / kWarp; ++warp) {
    total = combine(total, of_warp[warp]);
  }
  __syncthreads();  // or a second call would overwrite what a slower thread still reads
  return total;
}

}  // namespace scalestudy::ops
