// Kernels that do one thing right or wrong.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace scalestudy::test {

enum class Example {
  kSum,                  // memory[64] = the sum of the first 64 elements, over shared memory
  kSumWithoutBarrier,    // the same without its barrier
  kReadBeforeWrite,      // of shared memory
  kPartOfABarrier,       // half of a block waits
  kLaneOutsideMask,      // a shuffle of the lower half of a warp, by all of it
  kLaneThatLeft,         // a shuffle of a warp that lane 0 does not take part in
  kBeyondTheEnd,         // memory[count] = 1
  kBeforeTheBegin,       // memory[-1] = 1
  kHostMemory,           // reads what its parameter points to on the host
  kMisaligned,           // memory + 1 byte
  kBlocksMeet,           // every block adds to memory[0]
  kBlocksMeetAtomically  // every block exchanges memory[0]
};

// Two blocks of 64 threads.
cudaError_t run_example(Example example, float* memory, std::size_t count, cudaStream_t stream);

// Grids that a GPU does and does not take.
cudaError_t run_nothing(dim3 blocks, dim3 threads, cudaStream_t stream);

// memory[i] = number of threads that have i as their place in the grid.
cudaError_t count_threads(int* memory, dim3 blocks, dim3 threads, cudaStream_t stream);

}  // namespace scalestudy::test
