// Sums the columns of a matrix over its rows, in an order that depends on its shape alone.
#pragma once

#include <span>
#include <stdexcept>

#include "workloads/ops/cuda/cuda_launch.cuh"

namespace scalestudy::ops {

template <int kSums>
struct ColumnSums {
  float value[kSums];
};

inline constexpr unsigned kColumnLanes = 8;  // threads that share a column within a block

// Sums a block's lanes; the result is on lane 0.
template <int kSums>
__device__ ColumnSums<kSums> over_lanes(const ColumnSums<kSums>& own) {
  __shared__ ColumnSums<kSums> of_lane[kColumnLanes][kWarp];
  of_lane[threadIdx.y][threadIdx.x] = own;
  __syncthreads();
  ColumnSums<kSums> total{};
  if (threadIdx.y == 0) {
    for (unsigned lane = 0; lane < kColumnLanes; ++lane) {
      for (int sum = 0; sum < kSums; ++sum) {
        total.value[sum] += of_lane[lane][threadIdx.x].value[sum];
      }
    }
  }
  return total;
}

// Block (x, y) sums its 32 columns over the y-th chunk of rows.
//   partials  (chunks, columns)
template <int kSums, typename Term>
__global__ void sum_chunk_kernel(std::size_t rows,
                                 std::size_t columns,
                                 std::size_t rows_per_chunk,
                                 Term term,
                                 ColumnSums<kSums>* partials) {
  const std::size_t column = std::size_t{blockIdx.x} * kWarp + threadIdx.x;
  const std::size_t begin = blockIdx.y * rows_per_chunk;
  const std::size_t end = begin + rows_per_chunk < rows ? begin + rows_per_chunk : rows;
  ColumnSums<kSums> own{};
  if (column < columns) {
    for (std::size_t row = begin + threadIdx.y; row < end; row += kColumnLanes) {
      term(row, column, own);
    }
  }
  const ColumnSums<kSums> total = over_lanes(own);
  if (threadIdx.y == 0 && column < columns) {
    partials[blockIdx.y * columns + column] = total;
  }
}

template <int kSums, typename Result>
__global__ void sum_partials_kernel(std::size_t chunks,
                                    std::size_t columns,
                                    const ColumnSums<kSums>* partials,
                                    Result result) {
  const std::size_t column = std::size_t{blockIdx.x} * kWarp + threadIdx.x;
  ColumnSums<kSums> own{};
  if (column < columns) {
    for (std::size_t chunk = threadIdx.y; chunk < chunks; chunk += kColumnLanes) {
      for (int sum = 0; sum < kSums; ++sum) {
        own.value[sum] += partials[chunk * columns + column].value[sum];
      }
    }
  }
  const ColumnSums<kSums> total = over_lanes(own);
  if (threadIdx.y == 0 && column < columns) {
    result(column, total);
  }
}

// Calls term(row, column, sums), which adds to `sums`, for every element, then result(column, sums)
// for every column.
//   scratch  memory of this device; its size limits the number of chunks of rows.
template <int kSums, typename Term, typename Result>
void sum_columns(std::size_t rows,
                 std::size_t columns,
                 const Term& term,
                 const Result& result,
                 std::span<double> scratch,
                 cudaStream_t stream) {
  constexpr std::size_t blocks_wanted = 1024;  // some for each processor of the largest device
  constexpr std::size_t fewest_rows = 8 * kColumnLanes;
  const unsigned tiles = block_count(columns, kWarp);
  const std::size_t room = scratch.size_bytes() / (columns * sizeof(ColumnSums<kSums>));
  if (room == 0) {
    throw std::length_error("a matrix has more columns than sums have room for");
  }
  const std::size_t most_chunks = std::min(std::max<std::size_t>(blocks_wanted / tiles, 1), room);
  const std::size_t rows_per_chunk = std::max((rows + most_chunks - 1) / most_chunks, fewest_rows);
  const std::size_t chunks = block_count(rows, rows_per_chunk);
  auto* const partials = reinterpret_cast<ColumnSums<kSums>*>(scratch.data());
  const dim3 threads(kWarp, kColumnLanes);
  launch_kernel("sum_chunk_kernel",
                {dim3(tiles, static_cast<unsigned>(chunks)), threads, stream},
                sum_chunk_kernel<kSums, Term>,
                rows,
                columns,
                rows_per_chunk,
                term,
                partials);
  launch_kernel("sum_partials_kernel",
                {tiles, threads, stream},
                sum_partials_kernel<kSums, Result>,
                chunks,
                columns,
                partials,
                result);
}

}  // namespace scalestudy::ops
