// LSTM and GRU through cuDNN, which chooses where in one block of memory each matrix and bias lies.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/ops/cuda/cuda_context.h"
#include "workloads/ops/cuda/cuda_descriptor.h"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

using Cells = CudnnOwned<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using Sequences = CudnnOwned<cudnnRNNDataDescriptor_t,
                             cudnnCreateRNNDataDescriptor,
                             cudnnDestroyRNNDataDescriptor>;
using Dropout = CudnnOwned<cudnnDropoutDescriptor_t,
                           cudnnCreateDropoutDescriptor,
                           cudnnDestroyDropoutDescriptor>;

// Elements that lie together in a tensor of ours and in cuDNN's block.
struct Piece {
  std::size_t tensor;  // of RecurrentWeights
  std::size_t ours;
  std::size_t theirs;
  std::size_t count;
};

template <typename T>
class CudaRecurrent final : public Recurrent<T> {
 public:
  CudaRecurrent(const RecurrentShape& shape, CudaContext& context, device::Arena& arena)
      : shape_(shape), context_(context), arena_(arena) {
    check_version();
    describe_cells();
    const std::vector<int> lengths(shape.batch, static_cast<int>(shape.steps));
    describe(x_, shape.input_width, lengths);
    describe(states_, shape.hidden_width, lengths);
    const std::array<int, 3> sizes = {
        1, static_cast<int>(shape.batch), static_cast<int>(shape.hidden_width)};
    const std::array<int, 3> strides = {sizes[1] * sizes[2], sizes[2], 1};
    CUDA_CHECK(cudnnSetTensorNdDescriptor(
        last_.get(), kCudnnType<T>, static_cast<int>(sizes.size()), sizes.data(), strides.data()));
    take_memory(lengths);
    find_pieces();
  }

  void forward(const T* x, const RecurrentWeights<T>& weights, T* y) override {
    for (const Piece& piece : pieces_) {
      copy(weights_.data() + piece.theirs, weights[piece.tensor] + piece.ours, piece.count);
    }
    CUDA_CHECK(cudnnRNNForward(context_.dnn(),
                               cells_.get(),
                               CUDNN_FWD_MODE_TRAINING,
                               lengths_,
                               x_.get(),
                               x,
                               states_.get(),
                               hidden_,
                               last_.get(),
                               nullptr,
                               y,
                               last_.get(),
                               nullptr,
                               nullptr,
                               weights_.size_bytes(),
                               weights_.data(),
                               workspace_bytes_,
                               arena_.scratch(),
                               reserve_.size(),
                               reserve_.data()));
  }

  void backward(const T* x,
                const RecurrentWeights<T>& /*weights*/,
                const T* dy,
                const RecurrentWeights<T>& dweights,
                T* dx) override {
    // cuDNN 9 wants somewhere to write dx to even when nobody wants it.
    CUDA_CHECK(cudnnRNNBackwardData_v8(context_.dnn(),
                                       cells_.get(),
                                       lengths_,
                                       states_.get(),
                                       hidden_,
                                       dhidden_,
                                       x_.get(),
                                       dx == nullptr ? dx_ : dx,
                                       last_.get(),
                                       nullptr,
                                       dy,
                                       nullptr,
                                       last_.get(),
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       weights_.size_bytes(),
                                       weights_.data(),
                                       workspace_bytes_,
                                       arena_.scratch(),
                                       reserve_.size(),
                                       reserve_.data()));
    // cuDNN adds to the gradients it finds, and knows no other mode.
    CUDA_CHECK(cudaMemsetAsync(dweights_.data(), 0, dweights_.size_bytes(), context_.stream()));
    CUDA_CHECK(cudnnRNNBackwardWeights_v8(context_.dnn(),
                                          cells_.get(),
                                          CUDNN_WGRAD_MODE_ADD,
                                          lengths_,
                                          x_.get(),
                                          x,
                                          last_.get(),
                                          nullptr,
                                          states_.get(),
                                          hidden_,
                                          dweights_.size_bytes(),
                                          dweights_.data(),
                                          workspace_bytes_,
                                          arena_.scratch(),
                                          reserve_.size(),
                                          reserve_.data()));
    for (const Piece& piece : pieces_) {
      copy(dweights[piece.tensor] + piece.ours, dweights_.data() + piece.theirs, piece.count);
    }
  }

 private:
  // source: cuDNN's release notes.
  static void check_version() {
    constexpr std::size_t first_with_bf16 = 91300;
    if (kCudnnType<T> == CUDNN_DATA_BFLOAT16 && cudnnGetVersion() < first_with_bf16) {
      device::throw_unsupported(
          "cuDNN computes LSTM and GRU in bf16 from version 9.13 on, and this is " +
          std::to_string(cudnnGetVersion()) + " (91300 is 9.13.0); use precision fp16 or fp32");
    }
  }

  void describe_cells() {
    CUDA_CHECK(cudnnSetDropoutDescriptor(dropout_.get(), context_.dnn(), 0.0F, nullptr, 0, 0));
    const bool is_float = kCudnnType<T> == CUDNN_DATA_FLOAT;
    const cudnnMathType_t float_math =
        context_.options().has_cudnn_tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
    CUDA_CHECK(cudnnSetRNNDescriptor_v8(cells_.get(),
                                        CUDNN_RNN_ALGO_STANDARD,
                                        shape_.cell == Cell::kLstm ? CUDNN_LSTM : CUDNN_GRU,
                                        CUDNN_RNN_DOUBLE_BIAS,
                                        CUDNN_UNIDIRECTIONAL,
                                        CUDNN_LINEAR_INPUT,
                                        kCudnnType<T>,
                                        CUDNN_DATA_FLOAT,
                                        is_float ? float_math : CUDNN_TENSOR_OP_MATH,
                                        static_cast<std::int32_t>(shape_.input_width),
                                        static_cast<std::int32_t>(shape_.hidden_width),
                                        static_cast<std::int32_t>(shape_.hidden_width),
                                        1,
                                        dropout_.get(),
                                        CUDNN_RNN_PADDED_IO_ENABLED));
  }

  void describe(const Sequences& sequences, std::size_t width, const std::vector<int>& lengths) {
    T padding(0.0F);
    CUDA_CHECK(cudnnSetRNNDataDescriptor(sequences.get(),
                                         kCudnnType<T>,
                                         CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED,
                                         static_cast<int>(shape_.steps),
                                         static_cast<int>(shape_.batch),
                                         static_cast<int>(width),
                                         lengths.data(),
                                         &padding));
  }

  void take_memory(const std::vector<int>& lengths) {
    const std::size_t rows = shape_.batch * shape_.steps;
    lengths_ = arena_.take<std::int32_t>(lengths.size()).data();
    arena_.device().copy_to_device(lengths_, lengths.data(), lengths.size() * sizeof(int));
    hidden_ = arena_.take<T>(rows * shape_.hidden_width).data();
    dhidden_ = arena_.take<T>(rows * shape_.hidden_width).data();
    dx_ = arena_.take<T>(rows * shape_.input_width).data();
    std::size_t weight_bytes = 0;
    CUDA_CHECK(cudnnGetRNNWeightSpaceSize(context_.dnn(), cells_.get(), &weight_bytes));
    weights_ = arena_.take<T>(weight_bytes / sizeof(T));
    dweights_ = arena_.take<T>(weight_bytes / sizeof(T));
    std::size_t reserve_bytes = 0;
    CUDA_CHECK(cudnnGetRNNTempSpaceSizes(context_.dnn(),
                                         cells_.get(),
                                         CUDNN_FWD_MODE_TRAINING,
                                         x_.get(),
                                         &workspace_bytes_,
                                         &reserve_bytes));
    reserve_ = arena_.take<std::byte>(reserve_bytes);
    arena_.reserve_scratch(workspace_bytes_);
  }

  // cuDNN numbers the gates' input matrices and biases, then their recurrent ones. source:
  // cudnnGetRNNWeightParams, linLayerID.
  void find_pieces() {
    const std::size_t h = shape_.hidden_width;
    const std::size_t gates = shape_.gates();
    const CudnnTensor matrix_shape;
    const CudnnTensor bias_shape;
    for (std::size_t id = 0; id < 2 * gates; ++id) {
      void* matrix = nullptr;
      void* bias = nullptr;
      CUDA_CHECK(cudnnGetRNNWeightParams(context_.dnn(),
                                         cells_.get(),
                                         0,
                                         weights_.size_bytes(),
                                         weights_.data(),
                                         static_cast<std::int32_t>(id),
                                         matrix_shape.get(),
                                         &matrix,
                                         bias_shape.get(),
                                         &bias));
      const std::size_t tensor = id / gates;
      const std::size_t count = h * (tensor == 0 ? shape_.input_width : h);
      add_piece({tensor, id % gates * count, offset(matrix), count});
      add_piece({tensor + 2, id % gates * h, offset(bias), h});
    }
  }

  // Joins what lies behind the last piece of its tensor on both sides.
  void add_piece(const Piece& next) {
    for (Piece& last : pieces_) {
      if (last.tensor == next.tensor && last.ours + last.count == next.ours &&
          last.theirs + last.count == next.theirs) {
        last.count += next.count;
        return;
      }
    }
    pieces_.push_back(next);
  }

  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const T*>(address) - weights_.data());
  }

  void copy(T* to, const T* from, std::size_t count) {
    CUDA_CHECK(
        cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, context_.stream()));
  }

  RecurrentShape shape_;
  CudaContext& context_;
  device::Arena& arena_;
  Dropout dropout_;
  Cells cells_;
  Sequences x_;
  Sequences states_;
  CudnnTensor last_;                 // (1, B, h), the first and last hidden state
  std::int32_t* lengths_ = nullptr;  // (B), all `steps`
  T* hidden_ = nullptr;              // (B, steps, h), of the last forward
  T* dhidden_ = nullptr;             // (B, steps, h), zero: only the last state is used
  T* dx_ = nullptr;                  // (B, steps, input_width)
  std::span<T> weights_;             // as cuDNN lays them out
  std::span<T> dweights_;
  std::vector<Piece> pieces_;
  std::size_t workspace_bytes_ = 0;
  std::span<std::byte> reserve_;  // what backward needs of the last forward
};

}  // namespace

template <typename T>
std::unique_ptr<Recurrent<T>> make_cuda_recurrent(const RecurrentShape& shape,
                                                  CudaContext& context,
                                                  device::Arena& arena) {
  return std::make_unique<CudaRecurrent<T>>(shape, context, arena);
}

template decltype(make_cuda_recurrent<float>) make_cuda_recurrent<float>;
template decltype(make_cuda_recurrent<device::Bf16>) make_cuda_recurrent<device::Bf16>;
template decltype(make_cuda_recurrent<device::Half>) make_cuda_recurrent<device::Half>;

}  // namespace scalestudy::ops
