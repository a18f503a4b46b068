// Convolution through cuDNN, channels last. Each direction's algorithm is chosen when it first
// runs.
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "workloads/ops/cuda/cuda_context.h"
#include "workloads/ops/cuda/cuda_descriptor.h"
#include "workloads/ops/cuda/cuda_prepared.h"

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
  CudaConvolution(const ConvolutionShape& shape, CudaContext& context)
      : shape_(shape), context_(context) {
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
    for (const ConvolutionMode* mode :
         {&forward_.mode, &backward_weights_.mode, &backward_input_.mode}) {
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
  }

  void forward(const T* x, const T* weights, T* y) override {
    const auto run = [&](cudnnConvolutionFwdAlgo_t algorithm) {
      CUDA_CHECK(cudnnConvolutionForward(context_.dnn(),
                                         &kOne,
                                         x_.get(),
                                         x,
                                         weights_.get(),
                                         weights,
                                         forward_.mode.get(),
                                         algorithm,
                                         context_.workspace().data(),
                                         context_.workspace().size(),
                                         &kZero,
                                         y_.get(),
                                         y));
    };
    choose("forward", forward_, run, [&](int* found, auto* candidates) {
      return cudnnGetConvolutionForwardAlgorithm_v7(context_.dnn(),
                                                    x_.get(),
                                                    weights_.get(),
                                                    forward_.mode.get(),
                                                    y_.get(),
                                                    kMostCandidates,
                                                    found,
                                                    candidates);
    });
    run(forward_.chosen->algo);
  }

  void backward_weights(const T* x, const T* dy, T* dweights) override {
    const auto run = [&](cudnnConvolutionBwdFilterAlgo_t algorithm) {
      CUDA_CHECK(cudnnConvolutionBackwardFilter(context_.dnn(),
                                                &kOne,
                                                x_.get(),
                                                x,
                                                y_.get(),
                                                dy,
                                                backward_weights_.mode.get(),
                                                algorithm,
                                                context_.workspace().data(),
                                                context_.workspace().size(),
                                                &kZero,
                                                weights_.get(),
                                                dweights));
    };
    choose("backward weights", backward_weights_, run, [&](int* found, auto* candidates) {
      return cudnnGetConvolutionBackwardFilterAlgorithm_v7(context_.dnn(),
                                                           x_.get(),
                                                           y_.get(),
                                                           backward_weights_.mode.get(),
                                                           weights_.get(),
                                                           kMostCandidates,
                                                           found,
                                                           candidates);
    });
    run(backward_weights_.chosen->algo);
  }

  void backward_input(const T* dy, const T* weights, T* dx) override {
    const auto run = [&](cudnnConvolutionBwdDataAlgo_t algorithm) {
      CUDA_CHECK(cudnnConvolutionBackwardData(context_.dnn(),
                                              &kOne,
                                              weights_.get(),
                                              weights,
                                              y_.get(),
                                              dy,
                                              backward_input_.mode.get(),
                                              algorithm,
                                              context_.workspace().data(),
                                              context_.workspace().size(),
                                              &kZero,
                                              x_.get(),
                                              dx));
    };
    choose("backward input", backward_input_, run, [&](int* found, auto* candidates) {
      return cudnnGetConvolutionBackwardDataAlgorithm_v7(context_.dnn(),
                                                         weights_.get(),
                                                         y_.get(),
                                                         backward_input_.mode.get(),
                                                         x_.get(),
                                                         kMostCandidates,
                                                         found,
                                                         candidates);
    });
    run(backward_input_.chosen->algo);
  }

 private:
  static constexpr float kOne = 1.0F;
  static constexpr float kZero = 0.0F;
  static constexpr int kMostCandidates = 16;

  // One of the three, with the arithmetic of the algorithm it runs.
  template <typename Performance>
  struct Direction {
    ConvolutionMode mode;
    std::optional<Performance> chosen;
  };

  cudnnMathType_t math_type() const {
    if (kCudnnType<T> != CUDNN_DATA_FLOAT) {
      return CUDNN_TENSOR_OP_MATH;
    }
    // For float the default lets tensor cores round to TF32.
    return context_.options().has_cudnn_tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
  }

  // What may run: in the workspace there is, repeatable where that is asked for, and without TF32
  // where fp32 is. list(&found, candidates) asks cuDNN, which puts what it thinks fastest first.
  template <typename Performance, typename List>
  std::vector<Performance> candidates(const char* pass, const List& list) const {
    std::vector<Performance> all(kMostCandidates);
    int found = 0;
    CUDA_CHECK(list(&found, all.data()));
    all.resize(static_cast<std::size_t>(found));
    std::erase_if(all, [&](const Performance& one) {
      return one.status != CUDNN_STATUS_SUCCESS || one.memory > context_.workspace().size() ||
             (context_.options().is_deterministic && one.determinism != CUDNN_DETERMINISTIC) ||
             (math_type() == CUDNN_FMA_MATH && one.mathType != CUDNN_FMA_MATH);
    });
    if (all.empty()) {
      device::throw_cuda("cudnnGetConvolution...Algorithm_v7",
                         __FILE__,
                         __LINE__,
                         std::string("no algorithm for the ") + pass +
                             " pass of a convolution in " +
                             std::to_string(context_.workspace().size()) + " bytes");
    }
    return all;
  }

  template <typename Performance, typename Run, typename List>
  void choose(const char* pass,
              Direction<Performance>& direction,
              const Run& run,
              const List& list) {
    if (direction.chosen) {
      return;
    }
    const auto all = candidates<Performance>(pass, list);
    const auto use = [&](const Performance& one) {
      CUDA_CHECK(cudnnSetConvolutionMathType(direction.mode.get(), one.mathType));
    };
    const std::string problem = describe(pass);
    const std::size_t chosen = context_.choices().choose(problem, all.size(), [&](std::size_t i) {
      use(all[i]);
      run(all[i].algo);
    });
    use(all[chosen]);
    direction.chosen = all[chosen];
    context_.choices().note(
        problem,
        "algorithm " + std::to_string(static_cast<int>(all[chosen].algo)) +
            (all[chosen].mathType == CUDNN_FMA_MATH ? " fma" : " tensor cores"));
  }

  std::string describe(const char* pass) const {
    std::string text = std::string("convolution ") + pass;
    for (const std::size_t size : {shape_.batch,
                                   shape_.height,
                                   shape_.width,
                                   shape_.channels,
                                   shape_.output_channels,
                                   shape_.kernel,
                                   shape_.stride,
                                   shape_.padding}) {
      text += " " + std::to_string(size);
    }
    return text;
  }

  ConvolutionShape shape_;
  CudaContext& context_;
  CudnnTensor x_;
  CudnnTensor y_;
  Filter weights_;
  Direction<cudnnConvolutionFwdAlgoPerf_t> forward_;
  Direction<cudnnConvolutionBwdFilterAlgoPerf_t> backward_weights_;
  Direction<cudnnConvolutionBwdDataAlgoPerf_t> backward_input_;
};

}  // namespace

template <typename T>
std::unique_ptr<Convolution<T>> make_cuda_convolution(const ConvolutionShape& shape,
                                                      CudaContext& context) {
  if constexpr (std::is_same_v<T, device::Bf16>) {
    device::throw_unsupported(
        "convolutions are not computed in bf16: cuDNN's interface for them was reported to return "
        "NaN there; use precision fp16, tf32 or fp32");
  } else {
    return std::make_unique<CudaConvolution<T>>(shape, context);
  }
}

template decltype(make_cuda_convolution<float>) make_cuda_convolution<float>;
template decltype(make_cuda_convolution<device::Bf16>) make_cuda_convolution<device::Bf16>;
template decltype(make_cuda_convolution<device::Half>) make_cuda_convolution<device::Half>;

}  // namespace scalestudy::ops
