// Pooling over images, channels last: a thread an element.
#include <cmath>

#include "workloads/ops/cuda/cuda_launch.cuh"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

template <typename T>
class CudaMaxPooling final : public MaxPooling<T> {
 public:
  CudaMaxPooling(const PoolingShape& shape, const Launch& launch, device::Arena& arena)
      : shape_(shape),
        launch_(launch),
        taps_(arena
                  .take<std::uint8_t>(shape.batch * shape.output_height() * shape.output_width() *
                                      shape.channels)
                  .data()) {}

  void forward(const T* x, T* y) override {
    const PoolingShape shape = shape_;
    const std::size_t height = shape.output_height();
    const std::size_t width = shape.output_width();
    std::uint8_t* const taps = taps_;
    for_each_cell(
        shape.batch * height * width,
        shape.channels,
        [=] __device__(std::size_t output, std::size_t c) {
          const std::size_t row = output / width % height;
          const std::size_t image = output / width / height;
          float best = -INFINITY;
          std::uint8_t best_tap = 0;
          for (std::size_t tap = 0; tap < shape.kernel * shape.kernel; ++tap) {
            // Unsigned: what lies above or left of the image is large.
            const std::size_t h = row * shape.stride + tap / shape.kernel - shape.padding;
            const std::size_t w =
                output % width * shape.stride + tap % shape.kernel - shape.padding;
            if (h >= shape.height || w >= shape.width) {
              continue;
            }
            const float value =
                x[((image * shape.height + h) * shape.width + w) * shape.channels + c];
            if (value > best || isnan(value)) {  // once there, a NaN stays
              best = value;
              best_tap = static_cast<std::uint8_t>(tap);
            }
          }
          y[output * shape.channels + c] = T(best);
          taps[output * shape.channels + c] = best_tap;
        },
        launch_.stream);
  }

  // Each input gathers from the windows it lies in: no two threads add to one element.
  void backward(const T* dy, T* dx) override {
    const PoolingShape shape = shape_;
    const std::size_t height = shape.output_height();
    const std::size_t width = shape.output_width();
    const std::uint8_t* const taps = taps_;
    for_each_cell(
        shape.batch * shape.height * shape.width,
        shape.channels,
        [=] __device__(std::size_t input, std::size_t c) {
          const std::size_t h = input / shape.width % shape.height;
          const std::size_t image = input / shape.width / shape.height;
          float sum = 0.0F;
          for (std::size_t tap = 0; tap < shape.kernel * shape.kernel; ++tap) {
            const std::size_t top = h + shape.padding - tap / shape.kernel;
            const std::size_t left = input % shape.width + shape.padding - tap % shape.kernel;
            if (top % shape.stride != 0 || left % shape.stride != 0 ||
                top / shape.stride >= height || left / shape.stride >= width) {
              continue;
            }
            const std::size_t output =
                ((image * height + top / shape.stride) * width + left / shape.stride) *
                    shape.channels +
                c;
            if (taps[output] == tap) {
              sum += static_cast<float>(dy[output]);
            }
          }
          dx[input * shape.channels + c] = T(sum);
        },
        launch_.stream);
  }

 private:
  PoolingShape shape_;
  Launch launch_;
  std::uint8_t* taps_;  // (B, H', W', C): where each maximum came from
};

}  // namespace

template <typename T>
std::unique_ptr<MaxPooling<T>> make_cuda_max_pooling(const PoolingShape& shape,
                                                     const Launch& launch,
                                                     device::Arena& arena) {
  return std::make_unique<CudaMaxPooling<T>>(shape, launch, arena);
}

template <typename T>
void cuda_average_positions(const T* x, std::size_t positions, Matrix<T> y, const Launch& launch) {
  for_each_cell(
      y.rows,
      y.columns,
      [=] __device__(std::size_t image, std::size_t c) {
        float sum = 0.0F;
        for (std::size_t position = 0; position < positions; ++position) {
          sum += static_cast<float>(x[(image * positions + position) * y.columns + c]);
        }
        y.data[image * y.columns + c] = T(sum / static_cast<float>(positions));
      },
      launch.stream);
}

template <typename T>
void cuda_spread_positions(Matrix<T> dy, std::size_t positions, T* dx, const Launch& launch) {
  for_each_cell(
      dy.rows * positions,
      dy.columns,
      [=] __device__(std::size_t row, std::size_t c) {
        const float gradient = dy.data[row / positions * dy.columns + c];
        dx[row * dy.columns + c] = T(gradient / static_cast<float>(positions));
      },
      launch.stream);
}

#define INSTANTIATE(T)                                                                   \
  template std::unique_ptr<MaxPooling<T>> make_cuda_max_pooling(                         \
      const PoolingShape&, const Launch&, device::Arena&);                               \
  template void cuda_average_positions(const T*, std::size_t, Matrix<T>, const Launch&); \
  template void cuda_spread_positions(Matrix<T>, std::size_t, T*, const Launch&)

INSTANTIATE(float);
INSTANTIATE(device::Bf16);
INSTANTIATE(device::Half);
#undef INSTANTIATE

}  // namespace scalestudy::ops
