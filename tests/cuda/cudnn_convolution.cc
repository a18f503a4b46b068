// cuDNN's convolutions by plain loops, channels last, after checks of sizes, types,
// alignment, device memory and workspaces.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/cuda/dnn.h"

struct cudnnConvolutionStruct {
  std::size_t padding = 0;
  std::size_t stride = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace {

using namespace scalestudy;

constexpr std::size_t kAlignment = 16;           // of operands, for algorithms on tensor cores
constexpr std::size_t kWorkspaceBytes = 100000;  // of the algorithms that want one

std::string fault_in(const cudnnTensorStruct& x,
                     const cudnnTensorStruct& w,
                     const cudnnConvolutionStruct& convolution,
                     const cudnnTensorStruct& y) {
  const auto length = [&](std::size_t dimension) {
    return (x.sizes.at(dimension) + 2 * convolution.padding - w.sizes.at(dimension)) /
               convolution.stride +
           1;
  };
  if (x.type != w.type || x.type != y.type) {
    return "types differ";
  }
  if (x.sizes[0] != y.sizes[0] || x.sizes[1] != w.sizes[1] || y.sizes[1] != w.sizes[0] ||
      y.sizes[2] != length(2) || y.sizes[3] != length(3)) {
    return "sizes do not fit";
  }
  if (x.type != CUDA_R_32F && convolution.math != CUDNN_TENSOR_OP_MATH) {
    return "16-bit convolutions are asked of tensor cores here";
  }
  return "";
}

struct Operand {
  const cudnnTensorStruct& layout;
  const void* memory;
};
// Which of a pass's operands, and of the places that belong to one product.
constexpr std::size_t kX = 0;
constexpr std::size_t kW = 1;
constexpr std::size_t kY = 2;

struct Pass {
  cudnnHandle_t handle;
  const cudnnConvolutionStruct& convolution;
  std::array<Operand, 3> operands;
  const void* alpha;
  const void* beta;
  const void* workspace;
  std::size_t workspace_bytes;
  bool needs_workspace;
};

std::string fault_in(const Pass& pass) {
  if (pass.handle == nullptr || !test::is_known(pass.handle->stream)) {
    return "there is no handle with a stream";
  }
  if (*static_cast<const float*>(pass.alpha) != 1.0F ||
      *static_cast<const float*>(pass.beta) != 0.0F) {
    return "the stand-in neither scales nor adds";
  }
  for (const auto& [layout, memory] : pass.operands) {
    if (!test::is_on_device(memory, layout.bytes()) || !test::is_multiple(memory, kAlignment)) {
      return "an operand is not device memory of its size, aligned to 16 bytes";
    }
  }
  if (pass.needs_workspace && (pass.workspace_bytes < kWorkspaceBytes ||
                               !test::is_on_device(pass.workspace, pass.workspace_bytes))) {
    return "the workspace is too small";
  }
  const auto& [x, w, y] = pass.operands;
  return fault_in(x.layout, w.layout, pass.convolution, y.layout);
}

std::vector<float> loaded(const Operand& operand, bool is_tf32) {
  std::vector<float> values(operand.layout.elements());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = test::load(operand.memory, operand.layout.type, i);
    values[i] = is_tf32 ? test::rounded_to_tf32(value) : value;
  }
  return values;
}

// Calls term({x, w, y}) with the places of every product that a convolution is the sum of.
template <typename Term>
void for_each_term(const Pass& pass, const Term& term) {
  const auto [batch, channels, height, width] = pass.operands[kX].layout.sizes;
  const auto [outputs, w_channels, kernel_height, kernel_width] = pass.operands[kW].layout.sizes;
  const auto& y = pass.operands[kY].layout.sizes;
  const std::size_t stride = pass.convolution.stride;
  const std::size_t padding = pass.convolution.padding;
  for (std::size_t place = 0; place < batch * y[2] * y[3]; ++place) {
    const std::size_t image = place / (y[2] * y[3]);
    const std::size_t row = place / y[3] % y[2];
    for (std::size_t tap = 0; tap < kernel_height * kernel_width; ++tap) {
      // Unsigned: what lies above or left of the image is large.
      const std::size_t h = row * stride + tap / kernel_width - padding;
      const std::size_t v = place % y[3] * stride + tap % kernel_width - padding;
      if (h >= height || v >= width) {
        continue;
      }
      const std::size_t first = ((image * height + h) * width + v) * channels;
      for (std::size_t output = 0; output < outputs; ++output) {
        const std::size_t weight = (output * kernel_height * kernel_width + tap) * channels;
        for (std::size_t c = 0; c < channels; ++c) {
          term(std::array{first + c, weight + c, place * outputs + output});
        }
      }
    }
  }
}

// One operand from the other two.
template <std::size_t kResult>
cudnnStatus_t compute(const Pass& pass) {
  if (const std::string fault = fault_in(pass); !fault.empty()) {
    return test::refuse_dnn(fault);
  }
  if (pass.needs_workspace) {
    std::memset(const_cast<void*>(pass.workspace), 0xA5, kWorkspaceBytes);
  }
  constexpr std::size_t a = (kResult + 1) % 3;
  constexpr std::size_t b = (kResult + 2) % 3;
  const auto& [layout, memory] = pass.operands[kResult];
  const bool is_tf32 = layout.type == CUDA_R_32F && pass.convolution.math != CUDNN_FMA_MATH;
  const std::vector<float> of_a = loaded(pass.operands[a], is_tf32);
  const std::vector<float> of_b = loaded(pass.operands[b], is_tf32);
  std::vector<double> sums(layout.elements());
  for_each_term(pass, [&](const std::array<std::size_t, 3>& at) {
    sums[at[kResult]] += double{of_a[at[a]]} * of_b[at[b]];
  });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    test::store(const_cast<void*>(memory), layout.type, i, static_cast<float>(sums[i]));
  }
  return CUDNN_STATUS_SUCCESS;
}

// The faster algorithm wants a workspace and, backward, repeats no bits; the other one neither.
template <typename Performance>
cudnnStatus_t list(const std::string& fault,
                   cudnnMathType_t math,
                   bool is_repeatable,
                   int requested,
                   int* returned,
                   Performance* results) {
  *returned = 0;
  if (!fault.empty()) {
    return test::refuse_dnn(fault);
  }
  for (; *returned < std::min(requested, 2); ++*returned) {
    Performance& result = results[*returned];
    result = {};
    result.algo = static_cast<decltype(result.algo)>(*returned);
    result.memory = *returned == 0 ? kWorkspaceBytes : 0;
    result.determinism =
        is_repeatable || *returned == 1 ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
    result.mathType = math;
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-function-size):
// theirs
extern "C" {

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter) {
  return test::create(filter);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
  return test::destroy(filter);
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t format,
                                         int k,
                                         int c,
                                         int h,
                                         int w) {
  return cudnnSetTensor4dDescriptor(
      static_cast<cudnnTensorStruct*>(filter), format, type, k, c, h, w);
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* convolution) {
  return test::create(convolution);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
  return test::destroy(convolution);
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution,
                                              int pad_h,
                                              int pad_w,
                                              int stride_h,
                                              int stride_w,
                                              int dilation_h,
                                              int dilation_w,
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  if (pad_h != pad_w || stride_h != stride_w || pad_h < 0 || stride_h < 1 || dilation_h != 1 ||
      dilation_w != 1 || mode != CUDNN_CROSS_CORRELATION || compute != CUDNN_DATA_FLOAT) {
    return test::refuse_dnn("the stand-in has no such convolution");
  }
  convolution->padding = static_cast<std::size_t>(pad_h);
  convolution->stride = static_cast<std::size_t>(stride_h);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math) {
  convolution->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t /*handle*/,
                                                     cudnnTensorDescriptor_t x,
                                                     cudnnFilterDescriptor_t w,
                                                     cudnnConvolutionDescriptor_t convolution,
                                                     cudnnTensorDescriptor_t y,
                                                     int requested,
                                                     int* returned,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  return list(
      fault_in(*x, *w, *convolution, *y), convolution->math, true, requested, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t /*handle*/,
    cudnnTensorDescriptor_t x,
    cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution,
    cudnnFilterDescriptor_t dw,
    int requested,
    int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return list(
      fault_in(*x, *dw, *convolution, *dy), convolution->math, false, requested, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t /*handle*/,
    cudnnFilterDescriptor_t w,
    cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution,
    cudnnTensorDescriptor_t dx,
    int requested,
    int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return list(
      fault_in(*dx, *w, *convolution, *dy), convolution->math, false, requested, returned, results);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle,
                                      const void* alpha,
                                      cudnnTensorDescriptor_t x_descriptor,
                                      const void* x,
                                      cudnnFilterDescriptor_t w_descriptor,
                                      const void* w,
                                      cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm,
                                      void* workspace,
                                      std::size_t workspace_bytes,
                                      const void* beta,
                                      cudnnTensorDescriptor_t y_descriptor,
                                      void* y) {
  return compute<kY>({handle,
                      *convolution,
                      {{{*x_descriptor, x}, {*w_descriptor, w}, {*y_descriptor, y}}},
                      alpha,
                      beta,
                      workspace,
                      workspace_bytes,
                      algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM});
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle,
                                             const void* alpha,
                                             cudnnTensorDescriptor_t x_descriptor,
                                             const void* x,
                                             cudnnTensorDescriptor_t dy_descriptor,
                                             const void* dy,
                                             cudnnConvolutionDescriptor_t convolution,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void* workspace,
                                             std::size_t workspace_bytes,
                                             const void* beta,
                                             cudnnFilterDescriptor_t dw_descriptor,
                                             void* dw) {
  return compute<kW>({handle,
                      *convolution,
                      {{{*x_descriptor, x}, {*dw_descriptor, dw}, {*dy_descriptor, dy}}},
                      alpha,
                      beta,
                      workspace,
                      workspace_bytes,
                      algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0});
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle,
                                           const void* alpha,
                                           cudnnFilterDescriptor_t w_descriptor,
                                           const void* w,
                                           cudnnTensorDescriptor_t dy_descriptor,
                                           const void* dy,
                                           cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm,
                                           void* workspace,
                                           std::size_t workspace_bytes,
                                           const void* beta,
                                           cudnnTensorDescriptor_t dx_descriptor,
                                           void* dx) {
  return compute<kX>({handle,
                      *convolution,
                      {{{*dx_descriptor, dx}, {*w_descriptor, w}, {*dy_descriptor, dy}}},
                      alpha,
                      beta,
                      workspace,
                      workspace_bytes,
                      algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_0});
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-function-size)
