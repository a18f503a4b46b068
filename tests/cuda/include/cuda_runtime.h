// Stands for nvcc and the CUDA runtime's header of that name: kernels are functions, and launching
// one executes its blocks and threads on the host (tests/cuda/execution.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include <cuda_runtime_api.h>
#include <math.h>

#include "tests/cuda/execution.h"

#define __global__
#define __host__
#define __device__
#define __shared__ static  // one block runs at a time

inline constexpr const uint3& threadIdx = scalestudy::test::position.thread;
inline constexpr const uint3& blockIdx = scalestudy::test::position.block;
inline constexpr const dim3& blockDim = scalestudy::test::position.block_size;
inline constexpr const dim3& gridDim = scalestudy::test::position.grid_size;

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
};

extern "C" void __syncthreads();

// The value that the lane whose number is this one's XOR `offset` hands over in the same call.
template <typename Value>
Value __shfl_xor_sync(unsigned mask, Value value, int offset) {
  static_assert(std::is_arithmetic_v<Value> && sizeof(Value) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  bits = scalestudy::test::exchange_xor(mask, bits, static_cast<unsigned>(offset));
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline int atomicExch(int* at, int value) {
  return scalestudy::test::exchange_atomically(at, value);
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                               void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...));
  static_assert((sizeof(Parameters) + ... + 0) <= 4096);
  struct Call {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> parameters;
  };
  const Call call{kernel, std::tuple<Parameters...>(std::forward<Arguments>(arguments)...)};
  const scalestudy::test::Launch launch{config->gridDim,
                                        config->blockDim,
                                        config->dynamicSmemBytes,
                                        config->stream,
                                        &call,
                                        sizeof(call)};
  return scalestudy::test::execute(launch, [](const void* data) {
    const auto& of_launch = *static_cast<const Call*>(data);
    std::apply(of_launch.kernel, of_launch.parameters);
  });
}
