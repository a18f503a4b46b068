// Owners of cuDNN's descriptors.
#pragma once

#include <cstdio>

#include <cudnn.h>

#include "workloads/ops/cuda/cuda_context.h"

namespace scalestudy::ops {

// Owns a cuDNN descriptor.
template <typename Descriptor,
          cudnnStatus_t (*kCreate)(Descriptor*),
          cudnnStatus_t (*kDestroy)(Descriptor)>
class CudnnOwned {
 public:
  CudnnOwned() { CUDA_CHECK(kCreate(&descriptor_)); }
  CudnnOwned(const CudnnOwned&) = delete;
  CudnnOwned& operator=(const CudnnOwned&) = delete;
  ~CudnnOwned() {
    if (kDestroy(descriptor_) != CUDNN_STATUS_SUCCESS) {
      std::fputs("scalestudy: a cuDNN descriptor could not be destroyed\n", stderr);
    }
  }
  Descriptor get() const { return descriptor_; }

 private:
  Descriptor descriptor_ = nullptr;
};

using CudnnTensor =
    CudnnOwned<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
}  // namespace scalestudy::ops
