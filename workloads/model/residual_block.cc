#include "workloads/model/residual_block.h"

#include <algorithm>
#include <cmath>

#include "workloads/model/uniform.h"

namespace scalestudy::model {
namespace {

std::size_t input_elements(const ops::ConvolutionShape& shape) {
  return shape.height * shape.width * shape.channels;
}

std::size_t output_elements(const ops::ConvolutionShape& shape) {
  return shape.output_height() * shape.output_width() * shape.output_channels;
}

// y = norm(convolution(x)) [+ residual], through a ReLU where `has_relu`.
template <typename T>
class ConvolutionNorm {
 public:
  ConvolutionNorm(const ops::ConvolutionShape& shape,
                  bool has_relu,
                  std::size_t ghost_batches,
                  std::uint32_t index,
                  ops::Ops<T>& ops,
                  device::Arena& arena)
      : shape_(shape),
        index_(index),
        convolution_(ops.make_convolution(shape, arena)),
        norm_(
            ops.make_batch_norm({.rows = shape.batch * shape.output_height() * shape.output_width(),
                                 .channels = shape.output_channels,
                                 .groups = ghost_batches,
                                 .has_relu = has_relu},
                                arena)),
        convolved_(arena.take<T>(shape.batch * output_elements(shape)).data()) {}

  std::size_t padded_count() const {
    return 2 * padded_channels() + model::padded_count<T>(weight_count());
  }

  void bind(T* parameters, T* gradients) {
    shift_ = parameters;
    scale_ = shift_ + padded_channels();
    weights_ = scale_ + padded_channels();
    dshift_ = gradients;
    dscale_ = dshift_ + padded_channels();
    dweights_ = dscale_ + padded_channels();
  }

  // Uniform with the variance of He's initialisation by fan-out, 2 / (K^2 O); torchvision draws
  // from a normal distribution of that variance.
  void initialise(T* host, std::uint64_t seed, ops::Purpose purpose) const {
    std::fill_n(host + padded_channels(), shape_.output_channels, T(1));
    const auto fan_out =
        static_cast<double>(shape_.kernel * shape_.kernel * shape_.output_channels);
    fill_uniform(std::span(host + 2 * padded_channels(), weight_count()),
                 std::sqrt(3.0 * 2.0 / fan_out),
                 seed,
                 purpose,
                 index_);
  }

  // residual  as y, or nullptr.
  void forward(const T* x, const T* residual, T* y, bool is_training) {
    convolution_->forward(x, weights_, convolved_);
    norm_->forward(convolved_, residual, scale_, shift_, y, is_training);
  }

  // dy becomes the gradient of the residual. dconvolved is as large as y and may be dy; dx may be
  // nullptr.
  void backward(const T* x, const T* y, T* dy, T* dconvolved, T* dx, const GradientsReady& ready) {
    norm_->backward(convolved_, y, scale_, dy, dscale_, dshift_, dconvolved);
    convolution_->backward_weights(x, dconvolved, dweights_);
    ready(padded_count());
    if (dx != nullptr) {
      convolution_->backward_input(dconvolved, weights_, dx);
    }
  }

 private:
  std::size_t padded_channels() const { return model::padded_count<T>(shape_.output_channels); }
  std::size_t weight_count() const {
    return shape_.output_channels * shape_.kernel * shape_.kernel * shape_.channels;
  }

  ops::ConvolutionShape shape_;
  std::uint32_t index_;
  std::unique_ptr<ops::Convolution<T>> convolution_;
  std::unique_ptr<ops::BatchNorm<T>> norm_;
  T* convolved_;  // (B, H', W', O), kept for backward
  T* shift_ = nullptr;
  T* scale_ = nullptr;
  T* weights_ = nullptr;  // (O, K, K, C)
  T* dshift_ = nullptr;
  T* dscale_ = nullptr;
  T* dweights_ = nullptr;
};

template <typename T>
class Stem final : public Layer<T> {
 public:
  Stem(const ops::ConvolutionShape& shape,
       const ResidualOptions& options,
       ops::Ops<T>& ops,
       device::Arena& arena)
      : shape_(shape), unit_(shape, true, options.ghost_batches, options.first_index, ops, arena) {}

  std::size_t input_width() const override { return input_elements(shape_); }
  std::size_t output_width() const override { return output_elements(shape_); }
  std::size_t padded_count() const override { return unit_.padded_count(); }
  void bind(T* parameters, T* gradients) override { unit_.bind(parameters, gradients); }
  void initialise(T* host, std::uint64_t seed, ops::Purpose purpose) const override {
    unit_.initialise(host, seed, purpose);
  }

  void forward(const T* x, T* y, const Pass& pass) override {
    unit_.forward(x, nullptr, y, pass.is_training);
  }
  void backward(const T* x, const T* y, T* dy, T* dx, const GradientsReady& ready) override {
    unit_.backward(x, y, dy, dy, dx, ready);
  }

 private:
  ops::ConvolutionShape shape_;
  ConvolutionNorm<T> unit_;
};

template <typename T>
class ResidualBlock final : public Layer<T> {
 public:
  ResidualBlock(const ResidualBlockShape& shape,
                const ResidualOptions& options,
                const ResidualScratch<T>& scratch,
                ops::Ops<T>& ops,
                device::Arena& arena)
      : shape_(shape),
        ops_(ops),
        scratch_(scratch),
        reduce_(shape.reduce, true, options.ghost_batches, options.first_index, ops, arena),
        spatial_(shape.spatial, true, options.ghost_batches, options.first_index + 1, ops, arena),
        expand_(shape.expand, true, options.ghost_batches, options.first_index + 2, ops, arena),
        reduced_(arena.take<T>(shape.reduce.batch * output_elements(shape.reduce)).data()),
        filtered_(arena.take<T>(shape.spatial.batch * output_elements(shape.spatial)).data()),
        units_({&expand_, &spatial_, &reduce_}) {
    if (shape.shortcut) {
      shortcut_ = std::make_unique<ConvolutionNorm<T>>(
          *shape.shortcut, false, options.ghost_batches, options.first_index + 3, ops, arena);
      carried_ = arena.take<T>(shape.shortcut->batch * output_elements(*shape.shortcut)).data();
      units_.push_back(shortcut_.get());
    }
  }

  std::size_t input_width() const override { return input_elements(shape_.reduce); }
  std::size_t output_width() const override { return output_elements(shape_.expand); }

  std::size_t padded_count() const override {
    std::size_t count = 0;
    for (const ConvolutionNorm<T>* unit : units_) {
      count += unit->padded_count();
    }
    return count;
  }

  void bind(T* parameters, T* gradients) override {
    for (ConvolutionNorm<T>* unit : units_) {
      unit->bind(parameters, gradients);
      parameters += unit->padded_count();
      gradients += unit->padded_count();
    }
  }

  void initialise(T* host, std::uint64_t seed, ops::Purpose purpose) const override {
    for (const ConvolutionNorm<T>* unit : units_) {
      unit->initialise(host, seed, purpose);
      host += unit->padded_count();
    }
  }

  void forward(const T* x, T* y, const Pass& pass) override {
    const T* residual = x;
    if (shortcut_) {
      shortcut_->forward(x, nullptr, carried_, pass.is_training);
      residual = carried_;
    }
    reduce_.forward(x, nullptr, reduced_, pass.is_training);
    spatial_.forward(reduced_, nullptr, filtered_, pass.is_training);
    expand_.forward(filtered_, residual, y, pass.is_training);
  }

  void backward(const T* x, const T* y, T* dy, T* dx, const GradientsReady& ready) override {
    T* wide = scratch_.wide.data();
    T* narrow = scratch_.narrow.data();
    T* narrow_wide = scratch_.narrow_wide.data();
    expand_.backward(filtered_, y, dy, wide, narrow, ready);
    spatial_.backward(reduced_, filtered_, narrow, narrow, narrow_wide, ready);
    reduce_.backward(x, reduced_, narrow_wide, narrow_wide, dx, ready);
    const T* dresidual = dy;
    if (shortcut_) {
      shortcut_->backward(x, carried_, dy, dy, wide, ready);
      dresidual = wide;
    }
    ops_.add({dx, shape_.reduce.batch * input_width()}, dresidual);
  }

 private:
  ResidualBlockShape shape_;
  ops::Ops<T>& ops_;
  ResidualScratch<T> scratch_;
  ConvolutionNorm<T> reduce_;
  ConvolutionNorm<T> spatial_;
  ConvolutionNorm<T> expand_;
  std::unique_ptr<ConvolutionNorm<T>> shortcut_;
  T* reduced_;                              // output of reduce_
  T* filtered_;                             // output of spatial_
  std::vector<ConvolutionNorm<T>*> units_;  // in the order of ResidualBlockShape::convolutions()
  T* carried_ = nullptr;                    // output of shortcut_
};

}  // namespace

template <typename T>
std::unique_ptr<Layer<T>> make_stem(const ops::ConvolutionShape& shape,
                                    const ResidualOptions& options,
                                    ops::Ops<T>& ops,
                                    device::Arena& arena) {
  return std::make_unique<Stem<T>>(shape, options, ops, arena);
}

template <typename T>
std::unique_ptr<Layer<T>> make_residual_block(const ResidualBlockShape& shape,
                                              const ResidualOptions& options,
                                              const ResidualScratch<T>& scratch,
                                              ops::Ops<T>& ops,
                                              device::Arena& arena) {
  return std::make_unique<ResidualBlock<T>>(shape, options, scratch, ops, arena);
}

template decltype(make_stem<float>) make_stem<float>;
template decltype(make_residual_block<float>) make_residual_block<float>;
template decltype(make_stem<double>) make_stem<double>;
template decltype(make_residual_block<double>) make_residual_block<double>;
template decltype(make_stem<device::Bf16>) make_stem<device::Bf16>;
template decltype(make_residual_block<device::Bf16>) make_residual_block<device::Bf16>;
template decltype(make_stem<device::Half>) make_stem<device::Half>;
template decltype(make_residual_block<device::Half>) make_residual_block<device::Half>;

}  // namespace scalestudy::model
