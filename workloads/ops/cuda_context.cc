#include "workloads/ops/cuda_context.h"

#include <array>
#include <cstdio>

namespace scalestudy::device {

void check_cuda(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw_cuda(call, file, line, cublasLtGetStatusString(status));
  }
}

void check_cuda(cudnnStatus_t status, const char* call, const char* file, int line) {
  if (status == CUDNN_STATUS_SUCCESS) {
    return;
  }
  std::array<char, 1024> message{};
  cudnnGetLastErrorString(message.data(), message.size());
  throw_cuda(call, file, line, std::string(cudnnGetErrorString(status)) + ". " + message.data());
}

}  // namespace scalestudy::device

namespace scalestudy::ops {

CudaContext::CudaContext(device::Arena& arena, const CudaOptions& options)
    : device_(dynamic_cast<device::CudaDevice&>(arena.device())),
      options_(options),
      workspace_(arena.take<std::byte>(kWorkspaceBytes)),
      partials_(arena.take<double>(kPartialCount)) {
  CUDA_CHECK(cublasLtCreate(&blas_));
}

CudaContext::~CudaContext() {
  if (dnn_ != nullptr && cudnnDestroy(dnn_) != CUDNN_STATUS_SUCCESS) {
    std::fputs("scalestudy: cudnnDestroy failed\n", stderr);
  }
  if (cublasLtDestroy(blas_) != CUBLAS_STATUS_SUCCESS) {
    std::fputs("scalestudy: cublasLtDestroy failed\n", stderr);
  }
}

cudnnHandle_t CudaContext::dnn() {
  if (dnn_ == nullptr) {
    CUDA_CHECK(cudnnCreate(&dnn_));
    CUDA_CHECK(cudnnSetStream(dnn_, stream()));
  }
  return dnn_;
}

}  // namespace scalestudy::ops
