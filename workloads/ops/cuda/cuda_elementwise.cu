// Activations and column sums.
#include "workloads/ops/cuda/cuda_columns.cuh"
#include "workloads/ops/cuda/cuda_kernels.h"

namespace scalestudy::ops {
namespace {

template <typename T>
struct alignas(4 * sizeof(T)) Quad {
  T unit[4];
};

template <typename Access>
bool is_aligned(const void* pointer) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the address itself is wanted
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(Access) == 0;
}

}  // namespace

template <typename T>
void cuda_relu_dropout_forward(Matrix<T> y,
                               const ReluDropout<T>& function,
                               const DropoutKey& key,
                               const Launch& launch) {
  const bool is_whole = y.columns % 4 == 0 && is_aligned<Quad<T>>(y.data);
  for_each_cell(
      y.rows,
      (y.columns + 3) / 4,
      [=] __device__(std::size_t row, std::size_t quad) {
        PhiloxBlock block{};
        if (function.threshold != 0) {
          const std::uint32_t sample = key.first_sample + static_cast<std::uint32_t>(row);
          block = philox4x32_10(
              philox_counter(
                  static_cast<std::uint32_t>(quad), sample, key.step, Purpose::kDropout, key.layer),
              philox_key(key.seed));
        }
        T* const unit = y.data + row * y.columns + 4 * quad;
        if (is_whole) {
          // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): one access of four
          auto* const all = reinterpret_cast<Quad<T>*>(unit);
          Quad<T> values = *all;
          for (std::size_t j = 0; j < 4; ++j) {
            values.unit[j] = function.forward(values.unit[j], block.word[j]);
          }
          *all = values;
          return;
        }
        const std::size_t left = y.columns - 4 * quad;
        for (std::size_t j = 0; j < 4 && j < left; ++j) {
          unit[j] = function.forward(unit[j], block.word[j]);
        }
      },
      launch.stream);
}

template <typename T>
void cuda_relu_dropout_backward(Matrix<T> dy,
                                const T* y,
                                const ReluDropout<T>& function,
                                T* bias_gradient,
                                const Launch& launch) {
  const auto term = [=] __device__(std::size_t row, std::size_t column, ColumnSums<1> & sums) {
    const std::size_t i = row * dy.columns + column;
    dy.data[i] = function.backward(y[i], dy.data[i]);
    sums.value[0] += dy.data[i];
  };
  const auto result = [=] __device__(std::size_t column, const ColumnSums<1>& sums) {
    bias_gradient[column] = T(sums.value[0]);
  };
  sum_columns<1>(dy.rows, dy.columns, term, result, launch.scratch, launch.stream);
}

template <typename T>
void cuda_column_sums(Matrix<T> dy, T* sums, const Launch& launch) {
  const auto term = [=] __device__(std::size_t row, std::size_t column, ColumnSums<1> & own) {
    own.value[0] += dy.data[row * dy.columns + column];
  };
  const auto result = [=] __device__(std::size_t column, const ColumnSums<1>& total) {
    sums[column] = T(total.value[0]);
  };
  sum_columns<1>(dy.rows, dy.columns, term, result, launch.scratch, launch.stream);
}

template <typename To, typename From>
void cuda_add(std::span<To> y, const From* x, const Launch& launch) {
  To* const to = y.data();
  for_each(
      y.size(),
      [=] __device__(std::size_t i) {
        to[i] = To(static_cast<float>(to[i]) + static_cast<float>(x[i]));
      },
      launch.stream);
}

void cuda_scale(std::span<float> values, float factor, const Launch& launch) {
  float* const to = values.data();
  for_each(
      values.size(), [=] __device__(std::size_t i) { to[i] *= factor; }, launch.stream);
}

template <typename To, typename From>
void cuda_convert(std::span<To> y, const From* x, const Launch& launch) {
  To* const to = y.data();
  for_each(
      y.size(),
      [=] __device__(std::size_t i) { to[i] = To(static_cast<float>(x[i])); },
      launch.stream);
}

#define INSTANTIATE(T)                                                     \
  template void cuda_relu_dropout_forward(                                 \
      Matrix<T>, const ReluDropout<T>&, const DropoutKey&, const Launch&); \
  template void cuda_relu_dropout_backward(                                \
      Matrix<T>, const T*, const ReluDropout<T>&, T*, const Launch&);      \
  template void cuda_column_sums(Matrix<T>, T*, const Launch&);            \
  template void cuda_add(std::span<T>, const T*, const Launch&)

INSTANTIATE(float);
INSTANTIATE(device::Bf16);
INSTANTIATE(device::Half);
#undef INSTANTIATE

template void cuda_add(std::span<float>, const device::Bf16*, const Launch&);
template void cuda_add(std::span<float>, const device::Half*, const Launch&);
template void cuda_add(std::span<device::Bf16>, const float*, const Launch&);
template void cuda_add(std::span<device::Half>, const float*, const Launch&);

template void cuda_convert(std::span<float>, const device::Bf16*, const Launch&);
template void cuda_convert(std::span<float>, const device::Half*, const Launch&);
template void cuda_convert(std::span<device::Bf16>, const float*, const Launch&);
template void cuda_convert(std::span<device::Half>, const float*, const Launch&);

}  // namespace scalestudy::ops
