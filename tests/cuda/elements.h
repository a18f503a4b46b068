// Elements of device memory as the reference implementations of libraries read and write them.
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "workloads/device/float16.h"

namespace scalestudy::test {

inline std::size_t element_bytes(cudaDataType_t type) {
  return type == CUDA_R_32F ? sizeof(float) : sizeof(device::Half);
}

inline float load(const void* memory, cudaDataType_t type, std::size_t at) {
  switch (type) {
    case CUDA_R_16BF:
      return static_cast<const device::Bf16*>(memory)[at];
    case CUDA_R_16F:
      return static_cast<const device::Half*>(memory)[at];
    default:
      return static_cast<const float*>(memory)[at];
  }
}

inline void store(void* memory, cudaDataType_t type, std::size_t at, float value) {
  switch (type) {
    case CUDA_R_16BF:
      static_cast<device::Bf16*>(memory)[at] = value;
      return;
    case CUDA_R_16F:
      static_cast<device::Half*>(memory)[at] = value;
      return;
    default:
      static_cast<float*>(memory)[at] = value;
  }
}

// To the 10 bits behind the point that tensor cores take of a float, ties away from zero.
inline float rounded_to_tf32(float value) {
  return device::float_from_bits((device::float_bits(value) + 0x1000U) & 0xFFFFE000U);
}

inline bool is_multiple(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

}  // namespace scalestudy::test
