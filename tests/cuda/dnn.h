// What cuDNN's descriptors hold in the stand-in.
#pragma once

#include <array>
#include <string>

#include <cudnn.h>

#include "tests/cuda/elements.h"
#include "tests/cuda/fake_gpu.h"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

struct cudnnTensorStruct {
  cudaDataType_t type{};
  std::array<std::size_t, 4> sizes{};  // n, c, h, w; channels last in memory

  std::size_t elements() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
  std::size_t bytes() const { return elements() * scalestudy::test::element_bytes(type); }
};

struct cudnnFilterStruct : cudnnTensorStruct {};  // k, c, h, w

namespace scalestudy::test {

inline cudaDataType_t type_of(cudnnDataType_t type) {
  return type == CUDNN_DATA_HALF       ? CUDA_R_16F
         : type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF
                                       : CUDA_R_32F;
}

inline cudnnStatus_t refuse_dnn(const std::string& reason) {
  set_reason(reason);
  return CUDNN_STATUS_BAD_PARAM;
}

template <typename Object>
cudnnStatus_t create(Object** object) {
  *object = new Object;
  return CUDNN_STATUS_SUCCESS;
}
template <typename Object>
cudnnStatus_t destroy(Object* object) {
  delete object;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace scalestudy::test
