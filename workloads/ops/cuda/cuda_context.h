// Shared by the operations of one rank on a GPU: its queue, library handles and workspaces.
#pragma once

#include <cstddef>
#include <span>

#include <cublasLt.h>
#include <cudnn.h>

#include "workloads/device/arena.h"
#include "workloads/device/cuda_check.h"
#include "workloads/device/cuda_device.h"
#include "workloads/device/data_type.h"
#include "workloads/ops/cuda/cuda_choices.h"
#include "workloads/ops/cuda/cuda_ops.h"

namespace scalestudy::device {

// Overloads for CUDA_CHECK; WorkloadError (out of memory) or (failed) with the library's words.
void check_cuda(cublasStatus_t status, const char* call, const char* file, int line);
void check_cuda(cudnnStatus_t status, const char* call, const char* file, int line);

}  // namespace scalestudy::device

namespace scalestudy::ops {

// One thread uses it and what refers to it. All work goes to one queue in call order, so that one
// workspace serves every operation.
class CudaContext {
 public:
  static constexpr std::size_t kPartialCount = std::size_t{1} << 20U;

  CudaContext(device::Arena& arena, const CudaOptions& options);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  cudaStream_t stream() const { return device_.compute(); }
  const CudaOptions& options() const { return options_; }
  CudaChoices& choices() { return choices_; }
  const CudaChoices& choices() const { return choices_; }
  cublasLtHandle_t blas() const { return blas_; }
  // cuDNN's handle, made at its first use: models without convolution and recurrence do not load
  // cuDNN.
  cudnnHandle_t dnn();

  // The workspace of the algorithm that is queued next. cuBLAS asks for 32 MiB on Hopper and later;
  // with less it silently takes slower kernels.
  std::span<std::byte> workspace();
  // Partial sums of reductions, kPartialCount of them.
  std::span<double> partials() const { return partials_; }

 private:
  device::CudaDevice& device_;
  CudaOptions options_;
  CudaChoices choices_;
  cublasLtHandle_t blas_ = nullptr;
  cudnnHandle_t dnn_ = nullptr;
  std::span<std::byte> workspace_;
  std::span<double> partials_;
};

template <typename T>
inline constexpr cudaDataType_t kCudaType = CUDA_R_32F;
template <>
inline constexpr cudaDataType_t kCudaType<device::Bf16> = CUDA_R_16BF;
template <>
inline constexpr cudaDataType_t kCudaType<device::Half> = CUDA_R_16F;

template <typename T>
inline constexpr cudnnDataType_t kCudnnType = CUDNN_DATA_FLOAT;
template <>
inline constexpr cudnnDataType_t kCudnnType<device::Bf16> = CUDNN_DATA_BFLOAT16;
template <>
inline constexpr cudnnDataType_t kCudnnType<device::Half> = CUDNN_DATA_HALF;

}  // namespace scalestudy::ops
