#include <cuda_runtime.h>

#include "tests/cuda/example_kernels.h"

namespace scalestudy::test {
namespace {

constexpr unsigned kBlock = 64;
constexpr unsigned kAll = 0xFFFFFFFFU;
constexpr unsigned kLowerHalf = 0x0000FFFFU;

__device__ void sum(float* memory, bool has_barrier) {
  __shared__ float values[kBlock];
  values[threadIdx.x] = memory[threadIdx.x];
  if (has_barrier) {
    __syncthreads();
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    float total = 0.0F;
    for (const float value : values) {
      total += value;
    }
    memory[kBlock] = total;
  }
}

__device__ void read_before_write(float* memory) {
  __shared__ float values[2];
  if (memory == nullptr) {
    values[1] = 1.0F;  // never, but the compiler cannot know
  }
  memory[blockIdx.x * kBlock + threadIdx.x] = values[1];
}

__global__ void example_kernel(Example example,
                               float* memory,
                               std::size_t count,
                               const float* host) {
  const bool is_first = threadIdx.x == 0 && blockIdx.x == 0;
  float* const own = memory + blockIdx.x * kBlock + threadIdx.x;
  switch (example) {
    case Example::kSum:
    case Example::kSumWithoutBarrier:
      sum(memory, example == Example::kSum);
      break;
    case Example::kReadBeforeWrite:
      read_before_write(memory);
      break;
    case Example::kPartOfABarrier:
      if (threadIdx.x < kBlock / 2) {
        __syncthreads();
      }
      break;
    case Example::kLaneOutsideMask:
      *own = __shfl_xor_sync(kLowerHalf, 1.0F, 1);
      break;
    case Example::kLaneThatLeft:
      if (threadIdx.x % 32 != 0) {
        *own = __shfl_xor_sync(kAll, 1.0F, 1);
      }
      break;
    case Example::kBeyondTheEnd:
      memory[is_first ? count : 1 + blockIdx.x * kBlock + threadIdx.x] = 1.0F;
      break;
    case Example::kBeforeTheBegin:
      *(is_first ? memory - 1 : own) = 1.0F;
      break;
    case Example::kHostMemory:
      *own = *host;
      break;
    case Example::kMisaligned:
      *reinterpret_cast<const volatile float*>(reinterpret_cast<const char*>(memory) + 1);
      break;
    case Example::kBlocksMeet:
      if (threadIdx.x == 0) {
        memory[0] += 1.0F;
      }
      break;
    case Example::kBlocksMeetAtomically:
      if (threadIdx.x == 0) {
        atomicExch(reinterpret_cast<int*>(memory), 1);
      }
      break;
  }
}

__global__ void nothing_kernel() {}

__global__ void count_kernel(int* memory) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  memory[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1;
}

cudaLaunchConfig_t config_of(dim3 blocks, dim3 threads, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  return config;
}

}  // namespace

cudaError_t run_nothing(dim3 blocks, dim3 threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = config_of(blocks, threads, stream);
  return cudaLaunchKernelEx(&config, nothing_kernel);
}

cudaError_t count_threads(int* memory, dim3 blocks, dim3 threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = config_of(blocks, threads, stream);
  return cudaLaunchKernelEx(&config, count_kernel, memory);
}

cudaError_t run_example(Example example, float* memory, std::size_t count, cudaStream_t stream) {
  const float host = 1.0F;
  const cudaLaunchConfig_t config = config_of(2, kBlock, stream);
  return cudaLaunchKernelEx(&config, example_kernel, example, memory, count, &host);
}

}  // namespace scalestudy::test
