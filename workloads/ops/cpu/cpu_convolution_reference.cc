// Convolution by plain loops: slow, and easy to trust.
#include <algorithm>
#include <optional>
#include <vector>

#include "workloads/ops/cpu/cpu_images.h"

namespace scalestudy::ops {
namespace {

// Every loop sums into one row of channels.
template <typename T>
class ReferenceConvolution final : public Convolution<T> {
 public:
  explicit ReferenceConvolution(const ConvolutionShape& shape)
      : shape_(shape), sums_(std::max(shape.channels, shape.output_channels)) {}

  void forward(const T* x, const T* weights, T* y) override {
    for_outputs([&](std::size_t image, std::size_t row, std::size_t column) {
      std::fill(sums_.begin(), sums_.end(), Real{0});
      for_taps(image, row, column, [&](std::size_t tap, std::size_t position) {
        for (std::size_t o = 0; o < shape_.output_channels; ++o) {
          for (std::size_t c = 0; c < shape_.channels; ++c) {
            sums_[o] += static_cast<Real>(x[position * shape_.channels + c]) *
                        static_cast<Real>(weights[weight_row(o, tap) + c]);
          }
        }
      });
      store(shape_.output_channels, y + output_row(image, row, column));
    });
  }

  void backward_weights(const T* x, const T* dy, T* dweights) override {
    for (std::size_t o = 0; o < shape_.output_channels; ++o) {
      for (std::size_t tap = 0; tap < shape_.kernel * shape_.kernel; ++tap) {
        std::fill(sums_.begin(), sums_.end(), Real{0});
        for_outputs([&](std::size_t image, std::size_t row, std::size_t column) {
          const std::optional<std::size_t> position = input_position(image, row, column, tap);
          if (!position) {
            return;
          }
          const Real gradient = dy[output_row(image, row, column) + o];
          for (std::size_t c = 0; c < shape_.channels; ++c) {
            sums_[c] += gradient * static_cast<Real>(x[*position * shape_.channels + c]);
          }
        });
        store(shape_.channels, dweights + weight_row(o, tap));
      }
    }
  }

  void backward_input(const T* dy, const T* weights, T* dx) override {
    const std::size_t count = shape_.batch * shape_.height * shape_.width;
    for (std::size_t position = 0; position < count; ++position) {
      std::fill(sums_.begin(), sums_.end(), Real{0});
      for (std::size_t tap = 0; tap < shape_.kernel * shape_.kernel; ++tap) {
        const std::optional<std::size_t> row = output_row(position, tap);
        for (std::size_t o = 0; row && o < shape_.output_channels; ++o) {
          const Real gradient = dy[*row + o];
          for (std::size_t c = 0; c < shape_.channels; ++c) {
            sums_[c] += gradient * static_cast<Real>(weights[weight_row(o, tap) + c]);
          }
        }
      }
      store(shape_.channels, dx + position * shape_.channels);
    }
  }

 private:
  using Real = device::Real<T>;

  template <typename Work>
  void for_outputs(const Work& work) const {
    for (std::size_t image = 0; image < shape_.batch; ++image) {
      for (std::size_t row = 0; row < shape_.output_height(); ++row) {
        for (std::size_t column = 0; column < shape_.output_width(); ++column) {
          work(image, row, column);
        }
      }
    }
  }

  // Calls work(tap, position) for the taps of an output's window that lie inside the image.
  template <typename Work>
  void for_taps(std::size_t image, std::size_t row, std::size_t column, const Work& work) const {
    for (std::size_t tap = 0; tap < shape_.kernel * shape_.kernel; ++tap) {
      if (const auto position = input_position(image, row, column, tap)) {
        work(tap, *position);
      }
    }
  }

  // Index among the B * H * W inputs; nullopt in the padding.
  std::optional<std::size_t> input_position(std::size_t image,
                                            std::size_t row,
                                            std::size_t column,
                                            std::size_t tap) const {
    const std::size_t h = row * shape_.stride + tap / shape_.kernel;
    const std::size_t w = column * shape_.stride + tap % shape_.kernel;
    if (h < shape_.padding || h >= shape_.height + shape_.padding || w < shape_.padding ||
        w >= shape_.width + shape_.padding) {
      return std::nullopt;
    }
    return (image * shape_.height + h - shape_.padding) * shape_.width + w - shape_.padding;
  }

  std::size_t output_row(std::size_t image, std::size_t row, std::size_t column) const {
    return ((image * shape_.output_height() + row) * shape_.output_width() + column) *
           shape_.output_channels;
  }

  // The output whose window has `position` at this tap; nullopt when there is none.
  std::optional<std::size_t> output_row(std::size_t position, std::size_t tap) const {
    const std::size_t image = position / (shape_.height * shape_.width);
    // Unsigned: a window that would start above or left of the outputs becomes large.
    const std::size_t h =
        position / shape_.width % shape_.height + shape_.padding - tap / shape_.kernel;
    const std::size_t w = position % shape_.width + shape_.padding - tap % shape_.kernel;
    const std::size_t row = h / shape_.stride;
    const std::size_t column = w / shape_.stride;
    if (h % shape_.stride != 0 || w % shape_.stride != 0 || row >= shape_.output_height() ||
        column >= shape_.output_width()) {
      return std::nullopt;
    }
    return output_row(image, row, column);
  }

  std::size_t weight_row(std::size_t o, std::size_t tap) const {
    return (o * shape_.kernel * shape_.kernel + tap) * shape_.channels;
  }

  void store(std::size_t count, T* to) const {
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = static_cast<T>(sums_[i]);
    }
  }

  ConvolutionShape shape_;
  std::vector<Real> sums_;  // of one position, (max(C, O))
};

}  // namespace

template <typename T>
std::unique_ptr<Convolution<T>> make_reference_convolution(const ConvolutionShape& shape) {
  return std::make_unique<ReferenceConvolution<T>>(shape);
}

template std::unique_ptr<Convolution<float>> make_reference_convolution(const ConvolutionShape&);
template std::unique_ptr<Convolution<double>> make_reference_convolution(const ConvolutionShape&);
template std::unique_ptr<Convolution<device::Bf16>> make_reference_convolution(
    const ConvolutionShape&);
template std::unique_ptr<Convolution<device::Half>> make_reference_convolution(
    const ConvolutionShape&);

}  // namespace scalestudy::ops
