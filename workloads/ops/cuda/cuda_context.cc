#include "workloads/ops/cuda/cuda_context.h"

#include <array>
#include <cstdio>

namespace scalestudy::device {

void check_cuda(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status == CUBLAS_STATUS_ALLOC_FAILED) {
    throw_out_of_memory(call, file, line, cublasLtGetStatusString(status));
  }
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
  const std::string what = std::string(cudnnGetErrorString(status)) + ". " + message.data();
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
    throw_out_of_memory(call, file, line, what);
  }
  throw_cuda(call, file, line, what);
}

}  // namespace scalestudy::device

namespace scalestudy::ops {

CudaContext::CudaContext(device::Arena& arena, const CudaOptions& options)
    : device_(dynamic_cast<device::CudaDevice&>(arena.device())),
      options_(options),
      choices_(device_.compute(), options),
      workspace_(arena.take<std::byte>(options.workspace_bytes)),
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

std::span<std::byte> CudaContext::workspace() {
  if (options_.has_poisoned_workspace) {
    constexpr int of_nan = 0xFF;
    CUDA_CHECK(cudaMemsetAsync(workspace_.data(), of_nan, workspace_.size(), stream()));
  }
  return workspace_;
}

cudnnHandle_t CudaContext::dnn() {
  if (dnn_ == nullptr) {
    CUDA_CHECK(cudnnCreate(&dnn_));
    CUDA_CHECK(cudnnSetStream(dnn_, stream()));
  }
  return dnn_;
}

}  // namespace scalestudy::ops
