// Convolution through cuDNN, channels last. Algorithms are chosen at set-up by cuDNN's heuristics,
// not by timing them: every rank and every run gets the same ones.
#include <array>
#include <string>

#include "workloads/ops/cuda_context.h"
#include "workloads/ops/cuda_descriptor.h"
#include "workloads/ops/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

using Filter =
    CudnnOwned<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using ConvolutionMode = CudnnOwned<cudnnConvolutionDescriptor_t,
                                   cudnnCreateConvolutionDescriptor,
                                   cudnnDestroyConvolutionDescriptor>;

template <typename T>
class CudaConvolution final : public Convolution<T> {
 public:
  CudaConvolution(const ConvolutionShape& shape, CudaContext& context) : context_(context) {
    const auto describe = [](const CudnnTensor& tensor,
                             std::size_t batch,
                             std::size_t channels,
                             std::size_t height,
                             std::size_t width) {
      CUDA_CHECK(cudnnSetTensor4dDescriptor(tensor.get(),
                                            CUDNN_TENSOR_NHWC,
                                            kCudnnType<T>,
                                            static_cast<int>(batch),
                                            static_cast<int>(channels),
                                            static_cast<int>(height),
                                            static_cast<int>(width)));
    };
    describe(x_, shape.batch, shape.channels, shape.height, shape.width);
    describe(y_, shape.batch, shape.output_channels, shape.output_height(), shape.output_width());
    const auto kernel = static_cast<int>(shape.kernel);
    CUDA_CHECK(cudnnSetFilter4dDescriptor(weights_.get(),
                                          kCudnnType<T>,
                                          CUDNN_TENSOR_NHWC,
                                          static_cast<int>(shape.output_channels),
                                          static_cast<int>(shape.channels),
                                          kernel,
                                          kernel));
    for (const ConvolutionMode* mode : {&forward_mode_, &weights_mode_, &input_mode_}) {
      const auto padding = static_cast<int>(shape.padding);
      const auto stride = static_cast<int>(shape.stride);
      CUDA_CHECK(cudnnSetConvolution2dDescriptor(mode->get(),
                                                 padding,
                                                 padding,
                                                 stride,
                                                 stride,
                                                 1,
                                                 1,
                                                 CUDNN_CROSS_CORRELATION,
                                                 CUDNN_DATA_FLOAT));
      CUDA_CHECK(cudnnSetConvolutionMathType(mode->get(), math_type()));
    }
    choose();
  }

  void forward(const T* x, const T* weights, T* y) override {
    CUDA_CHECK(cudnnConvolutionForward(context_.dnn(),
                                       &kOne,
                                       x_.get(),
                                       x,
                                       weights_.get(),
                                       weights,
                                       forward_mode_.get(),
                                       forward_,
                                       context_.workspace().data(),
                                       context_.workspace().size(),
                                       &kZero,
                                       y_.get(),
                                       y));
  }

  void backward_weights(const T* x, const T* dy, T* dweights) override {
    CUDA_CHECK(cudnnConvolutionBackwardFilter(context_.dnn(),
                                              &kOne,
                                              x_.get(),
                                              x,
                                              y_.get(),
                                              dy,
                                              weights_mode_.get(),
                                              backward_weights_,
                                              context_.workspace().data(),
                                              context_.workspace().size(),
                                              &kZero,
                                              weights_.get(),
                                              dweights));
  }

  void backward_input(const T* dy, const T* weights, T* dx) override {
    CUDA_CHECK(cudnnConvolutionBackwardData(context_.dnn(),
                                            &kOne,
                                            weights_.get(),
                                            weights,
                                            y_.get(),
                                            dy,
                                            input_mode_.get(),
                                            backward_input_,
                                            context_.workspace().data(),
                                            context_.workspace().size(),
                                            &kZero,
                                            x_.get(),
                                            dx));
  }

 private:
  static constexpr float kOne = 1.0F;
  static constexpr float kZero = 0.0F;

  cudnnMathType_t math_type() const {
    if (kCudnnType<T> != CUDNN_DATA_FLOAT) {
      return CUDNN_TENSOR_OP_MATH;
    }
    // For float the default lets tensor cores round to TF32.
    return context_.options().has_tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
  }

  void choose() {
    constexpr int most = 16;
    int found = 0;
    std::array<cudnnConvolutionFwdAlgoPerf_t, most> forward{};
    CUDA_CHECK(cudnnGetConvolutionForwardAlgorithm_v7(context_.dnn(),
                                                      x_.get(),
                                                      weights_.get(),
                                                      forward_mode_.get(),
                                                      y_.get(),
                                                      most,
                                                      &found,
                                                      forward.data()));
    forward_ = best("forward", forward, found, forward_mode_).algo;
    std::array<cudnnConvolutionBwdFilterAlgoPerf_t, most> weights{};
    CUDA_CHECK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(context_.dnn(),
                                                             x_.get(),
                                                             y_.get(),
                                                             weights_mode_.get(),
                                                             weights_.get(),
                                                             most,
                                                             &found,
                                                             weights.data()));
    backward_weights_ = best("backward weights", weights, found, weights_mode_).algo;
    std::array<cudnnConvolutionBwdDataAlgoPerf_t, most> input{};
    CUDA_CHECK(cudnnGetConvolutionBackwardDataAlgorithm_v7(context_.dnn(),
                                                           weights_.get(),
                                                           y_.get(),
                                                           input_mode_.get(),
                                                           x_.get(),
                                                           most,
                                                           &found,
                                                           input.data()));
    backward_input_ = best("backward input", input, found, input_mode_).algo;
  }

  // The first that works in the workspace there is, in the heuristics' order: fastest first. `mode`
  // takes over the arithmetic it was listed with.
  template <typename Performance, std::size_t kMost>
  const Performance& best(const char* pass,
                          const std::array<Performance, kMost>& candidates,
                          int found,
                          const ConvolutionMode& mode) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(found); ++i) {
      const Performance& candidate = candidates.at(i);
      const bool is_repeatable = candidate.determinism == CUDNN_DETERMINISTIC;
      if (candidate.status == CUDNN_STATUS_SUCCESS &&
          candidate.memory <= context_.workspace().size() &&
          (is_repeatable || !context_.options().is_deterministic)) {
        CUDA_CHECK(cudnnSetConvolutionMathType(mode.get(), candidate.mathType));
        return candidate;
      }
    }
    device::throw_cuda("cudnnGetConvolution...Algorithm_v7",
                       __FILE__,
                       __LINE__,
                       std::string("no algorithm for the ") + pass + " pass of a convolution in " +
                           std::to_string(context_.workspace().size()) + " bytes");
  }

  CudaContext& context_;
  CudnnTensor x_;
  CudnnTensor y_;
  Filter weights_;
  ConvolutionMode forward_mode_;
  ConvolutionMode weights_mode_;
  ConvolutionMode input_mode_;
  cudnnConvolutionFwdAlgo_t forward_{};
  cudnnConvolutionBwdFilterAlgo_t backward_weights_{};
  cudnnConvolutionBwdDataAlgo_t backward_input_{};
};

}  // namespace

template <typename T>
std::unique_ptr<Convolution<T>> make_cuda_convolution(const ConvolutionShape& shape,
                                                      CudaContext& context) {
  return std::make_unique<CudaConvolution<T>>(shape, context);
}

template std::unique_ptr<Convolution<float>> make_cuda_convolution(const ConvolutionShape&,
                                                                   CudaContext&);
template std::unique_ptr<Convolution<device::Bf16>> make_cuda_convolution(const ConvolutionShape&,
                                                                          CudaContext&);
template std::unique_ptr<Convolution<device::Half>> make_cuda_convolution(const ConvolutionShape&,
                                                                          CudaContext&);

}  // namespace scalestudy::ops
