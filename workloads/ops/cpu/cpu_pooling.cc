// Pooling over images, channels last: the inner loops run over channels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "workloads/ops/cpu/cpu_images.h"
#include "workloads/ops/cpu/cpu_loops.h"

namespace scalestudy::ops {
namespace {

// best = x where x is larger or no number, noting which tap it came from: once there, a NaN stays.
template <typename T>
SCALESTUDY_VECTORISED void keep_larger(
    const T* x, std::size_t channels, std::uint8_t tap, T* best, std::uint8_t* taps) {
#pragma omp simd
  for (std::size_t c = 0; c < channels; ++c) {
    const bool is_larger = x[c] > best[c] || std::isnan(static_cast<device::Real<T>>(x[c]));
    best[c] = is_larger ? x[c] : best[c];
    taps[c] = is_larger ? tap : taps[c];
  }
}

// dx += dy where the maximum came from this tap.
template <typename T>
SCALESTUDY_VECTORISED void add_where_chosen(
    const T* dy, const std::uint8_t* taps, std::size_t channels, std::uint8_t tap, T* dx) {
#pragma omp simd
  for (std::size_t c = 0; c < channels; ++c) {
    dx[c] = device::rounded<T>(taps[c] == tap ? dx[c] + dy[c] : device::Real<T>(dx[c]));
  }
}

template <typename T>
class CpuMaxPooling final : public MaxPooling<T> {
 public:
  CpuMaxPooling(const PoolingShape& shape, int threads, device::Arena& arena)
      : shape_(shape),
        threads_(threads),
        taps_(arena
                  .take<std::uint8_t>(shape.batch * shape.output_height() * shape.output_width() *
                                      shape.channels)
                  .data()) {}

  void forward(const T* x, T* y) override {
    const std::size_t channels = shape_.channels;
    for_images([&](std::size_t image) {
      for_windows(image, [&](std::size_t output) {
        std::fill_n(y + output * channels,
                    channels,
                    static_cast<T>(-std::numeric_limits<device::Real<T>>::infinity()));
      });
      for_taps(image, [&](std::size_t output, std::size_t input, std::uint8_t tap) {
        keep_larger(
            x + input * channels, channels, tap, y + output * channels, taps_ + output * channels);
      });
    });
  }

  void backward(const T* dy, T* dx) override {
    const std::size_t channels = shape_.channels;
    const std::size_t image_size = shape_.height * shape_.width * channels;
    for_images([&](std::size_t image) {
      std::fill_n(dx + image * image_size, image_size, T(0));
      for_taps(image, [&](std::size_t output, std::size_t input, std::uint8_t tap) {
        add_where_chosen(dy + output * channels,
                         taps_ + output * channels,
                         channels,
                         tap,
                         dx + input * channels);
      });
    });
  }

 private:
  template <typename Work>
  void for_images(const Work& work) const {
    for_parts(threads_, shape_.batch, [&](std::size_t begin, std::size_t end) {
      for (std::size_t image = begin; image < end; ++image) {
        work(image);
      }
    });
  }

  // Calls work(output) with the index of each window among all of the batch.
  template <typename Work>
  void for_windows(std::size_t image, const Work& work) const {
    const std::size_t count = shape_.output_height() * shape_.output_width();
    for (std::size_t output = image * count; output < (image + 1) * count; ++output) {
      work(output);
    }
  }

  // Calls work(output, input, tap) for the taps of each window, in row-major order, that lie inside
  // the image.
  template <typename Work>
  void for_taps(std::size_t image, const Work& work) const {
    const std::size_t columns = shape_.output_width();
    for_windows(image, [&](std::size_t output) {
      const std::size_t row = output / columns % shape_.output_height();
      for (std::size_t tap = 0; tap < shape_.kernel * shape_.kernel; ++tap) {
        // Unsigned: what lies above or left of the image is large.
        const std::size_t h = row * shape_.stride + tap / shape_.kernel - shape_.padding;
        const std::size_t w =
            output % columns * shape_.stride + tap % shape_.kernel - shape_.padding;
        if (h < shape_.height && w < shape_.width) {
          work(output,
               (image * shape_.height + h) * shape_.width + w,
               static_cast<std::uint8_t>(tap));
        }
      }
    });
  }

  PoolingShape shape_;
  int threads_;
  std::uint8_t* taps_;  // (B, H', W', C): where each maximum came from
};

template <typename T>
SCALESTUDY_VECTORISED void average_image(const T* x,
                                         std::size_t positions,
                                         std::size_t channels,
                                         T* y) {
  constexpr std::size_t block = 64;  // channels summed in registers
  using Real = device::Real<T>;
  const Real factor = Real{1} / static_cast<Real>(positions);
  for (std::size_t first = 0; first < channels; first += block) {
    const std::size_t count = std::min(block, channels - first);
    Real sums[block] = {};
    for (std::size_t position = 0; position < positions; ++position) {
      const T* row = x + position * channels + first;
#pragma omp simd
      for (std::size_t c = 0; c < count; ++c) {
        sums[c] += row[c];
      }
    }
    for (std::size_t c = 0; c < count; ++c) {
      y[first + c] = static_cast<T>(factor * sums[c]);
    }
  }
}

template <typename T>
SCALESTUDY_VECTORISED void spread_image(const T* dy,
                                        std::size_t positions,
                                        std::size_t channels,
                                        T* dx) {
  using Real = device::Real<T>;
  const Real factor = Real{1} / static_cast<Real>(positions);
  for (std::size_t position = 0; position < positions; ++position) {
    T* row = dx + position * channels;
#pragma omp simd
    for (std::size_t c = 0; c < channels; ++c) {
      row[c] = device::rounded<T>(factor * dy[c]);
    }
  }
}

}  // namespace

template <typename T>
std::unique_ptr<MaxPooling<T>> make_cpu_max_pooling(const PoolingShape& shape,
                                                    int threads,
                                                    device::Arena& arena) {
  return std::make_unique<CpuMaxPooling<T>>(shape, threads, arena);
}

template <typename T>
void cpu_average_positions(const T* x, std::size_t positions, Matrix<T> y, int threads) {
  for_parts(threads, y.rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t image = begin; image < end; ++image) {
      average_image(
          x + image * positions * y.columns, positions, y.columns, y.data + image * y.columns);
    }
  });
}

template <typename T>
void cpu_spread_positions(Matrix<T> dy, std::size_t positions, T* dx, int threads) {
  for_parts(threads, dy.rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t image = begin; image < end; ++image) {
      spread_image(
          dy.data + image * dy.columns, positions, dy.columns, dx + image * positions * dy.columns);
    }
  });
}

template decltype(make_cpu_max_pooling<float>) make_cpu_max_pooling<float>;
template void cpu_average_positions(const float*, std::size_t, Matrix<float>, int);
template void cpu_spread_positions(Matrix<float>, std::size_t, float*, int);
template decltype(make_cpu_max_pooling<double>) make_cpu_max_pooling<double>;
template void cpu_average_positions(const double*, std::size_t, Matrix<double>, int);
template void cpu_spread_positions(Matrix<double>, std::size_t, double*, int);
template decltype(make_cpu_max_pooling<device::Bf16>) make_cpu_max_pooling<device::Bf16>;
template void cpu_average_positions(const device::Bf16*, std::size_t, Matrix<device::Bf16>, int);
template void cpu_spread_positions(Matrix<device::Bf16>, std::size_t, device::Bf16*, int);
template decltype(make_cpu_max_pooling<device::Half>) make_cpu_max_pooling<device::Half>;
template void cpu_average_positions(const device::Half*, std::size_t, Matrix<device::Half>, int);
template void cpu_spread_positions(Matrix<device::Half>, std::size_t, device::Half*, int);

}  // namespace scalestudy::ops
