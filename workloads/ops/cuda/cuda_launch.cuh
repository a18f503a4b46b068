// Launching a kernel over many elements, and sums within a block in an order that never changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <cuda_runtime.h>

#include "workloads/device/cuda_check.h"

namespace scalestudy::ops {

inline constexpr unsigned kThreads = 256;  // of a block, unless a kernel says otherwise
inline constexpr unsigned kWarp = 32;

inline unsigned block_count(std::size_t elements, std::size_t per_block = kThreads) {
  return static_cast<unsigned>(std::max<std::size_t>((elements + per_block - 1) / per_block, 1));
}

struct Grid {
  dim3 blocks;
  dim3 threads;
  cudaStream_t stream;
};

// Queues kernel(arguments...) on a grid. Every kernel goes through here, so that tests need one
// function of CUDA to execute them on the host.
//   name  of the kernel, for messages.
template <typename... Parameters, typename... Arguments>
void launch_kernel(const char* name,
                   const Grid& grid,
                   void (*kernel)(Parameters...),
                   Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.stream = grid.stream;
  device::check_cuda(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...),
                     name,
                     __FILE__,
                     __LINE__);
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
  launch_kernel("for_each_kernel",
                {block_count(count), kThreads, stream},
                for_each_kernel<Element>,
                count,
                element);
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
  launch_kernel("for_each_cell_kernel",
                {blocks, dim3(kWarp, kCellRows), stream},
                for_each_cell_kernel<Cell>,
                rows,
                columns,
                cell);
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
