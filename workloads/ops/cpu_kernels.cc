#include "workloads/ops/cpu_kernels.h"

#include <algorithm>
#include <cmath>

// glibc has vector versions of these and declares them so only under -ffast-math.
#pragma omp declare simd notinbranch
extern "C" float expf(float) noexcept;
#pragma omp declare simd notinbranch
extern "C" double exp(double) noexcept;

// One copy for each generation of x86 vector units, chosen when the program starts: the binary runs
// everywhere and is not slow on the CPU it meets.
#if defined(__x86_64__) && defined(__GNUC__)
#define SCALESTUDY_VECTORISED \
  __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define SCALESTUDY_VECTORISED
#endif

namespace scalestudy::ops {
namespace {

float exponential(float x) {
  return expf(x);
}
double exponential(double x) {
  return exp(x);
}

}  // namespace

template <typename T>
SCALESTUDY_VECTORISED void relu_dropout_row(T* y,
                                            std::size_t columns,
                                            const ReluDropout<T>& function,
                                            const DropoutKey& key,
                                            std::uint32_t sample) {
  const ReluDropout<T> f = function;
  if (f.threshold == 0) {
#pragma omp simd
    for (std::size_t column = 0; column < columns; ++column) {
      y[column] = f.forward(y[column], 0);
    }
    return;
  }
  const PhiloxKey philox = philox_key(key.seed);
  const PhiloxBlock first = philox_counter(0, sample, key.step, Purpose::kDropout, key.layer);
  const std::size_t quads = columns / 4;
#pragma omp simd
  for (std::size_t quad = 0; quad < quads; ++quad) {
    PhiloxBlock counter = first;
    counter.word[0] = static_cast<std::uint32_t>(quad);
    const PhiloxBlock block = philox4x32_10(counter, philox);
    T* four = y + 4 * quad;
    four[0] = f.forward(four[0], block.word[0]);
    four[1] = f.forward(four[1], block.word[1]);
    four[2] = f.forward(four[2], block.word[2]);
    four[3] = f.forward(four[3], block.word[3]);
  }
  PhiloxBlock counter = first;
  counter.word[0] = static_cast<std::uint32_t>(quads);
  const PhiloxBlock last = philox4x32_10(counter, philox);
  for (std::size_t column = 4 * quads; column < columns; ++column) {
    y[column] = f.forward(y[column], last.word[column % 4]);
  }
}

template <typename T>
SCALESTUDY_VECTORISED void relu_dropout_backward_columns(Matrix<T> dy,
                                                         const T* y,
                                                         const ReluDropout<T>& function,
                                                         T* sums,
                                                         std::size_t begin,
                                                         std::size_t end) {
  const ReluDropout<T> f = function;
  std::fill(sums + begin, sums + end, T{0});
  for (std::size_t row = 0; row < dy.rows; ++row) {
    T* gradient = dy.data + row * dy.columns;
    const T* value = y + row * dy.columns;
#pragma omp simd
    for (std::size_t column = begin; column < end; ++column) {
      gradient[column] = f.backward(value[column], gradient[column]);
      sums[column] += gradient[column];
    }
  }
}

template <typename T>
SCALESTUDY_VECTORISED void sum_columns(Matrix<T> dy, T* sums, std::size_t begin, std::size_t end) {
  std::fill(sums + begin, sums + end, T{0});
  for (std::size_t row = 0; row < dy.rows; ++row) {
    const T* gradient = dy.data + row * dy.columns;
#pragma omp simd
    for (std::size_t column = begin; column < end; ++column) {
      sums[column] += gradient[column];
    }
  }
}

template <typename T>
SCALESTUDY_VECTORISED double softmax_cross_entropy_row(T* row,
                                                       std::size_t columns,
                                                       std::int32_t label,
                                                       double scale) {
  const T maximum = *std::max_element(row, row + columns);
  const double label_logit = static_cast<double>(row[label] - maximum);
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t column = 0; column < columns; ++column) {
    row[column] = exponential(row[column] - maximum);
    sum += row[column];
  }
  const T factor = static_cast<T>(scale) / sum;
#pragma omp simd
  for (std::size_t column = 0; column < columns; ++column) {
    row[column] *= factor;
  }
  row[label] -= static_cast<T>(scale);
  return std::log(static_cast<double>(sum)) - label_logit;
}

template <typename T>
SCALESTUDY_VECTORISED double mean_squared_error_row(T* row,
                                                    const T* target,
                                                    std::size_t columns,
                                                    double scale) {
  const T factor = static_cast<T>(2.0 * scale / static_cast<double>(columns));
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t column = 0; column < columns; ++column) {
    const T difference = row[column] - target[column];
    sum += difference * difference;
    row[column] = factor * difference;
  }
  return static_cast<double>(sum) / static_cast<double>(columns);
}

template <typename T>
SCALESTUDY_VECTORISED void sgd_range(
    const Sgd<T>& rule, T* p, const T* g, T* velocity, std::size_t count) {
  const Sgd<T> update = rule;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    update(p[i], g[i], velocity[i]);
  }
}

template <typename T>
SCALESTUDY_VECTORISED void adamw_range(
    const AdamW<T>& rule, T* p, const T* g, T* m, T* v, std::size_t count) {
  const AdamW<T> update = rule;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    update(p[i], g[i], m[i], v[i]);
  }
}

#define SCALESTUDY_INSTANTIATE(T)                                                   \
  template void relu_dropout_row(                                                   \
      T*, std::size_t, const ReluDropout<T>&, const DropoutKey&, std::uint32_t);    \
  template void relu_dropout_backward_columns(                                      \
      Matrix<T>, const T*, const ReluDropout<T>&, T*, std::size_t, std::size_t);    \
  template void sum_columns(Matrix<T>, T*, std::size_t, std::size_t);               \
  template double softmax_cross_entropy_row(T*, std::size_t, std::int32_t, double); \
  template double mean_squared_error_row(T*, const T*, std::size_t, double);        \
  template void sgd_range(const Sgd<T>&, T*, const T*, T*, std::size_t);            \
  template void adamw_range(const AdamW<T>&, T*, const T*, T*, T*, std::size_t);
SCALESTUDY_INSTANTIATE(float)
SCALESTUDY_INSTANTIATE(double)
#undef SCALESTUDY_INSTANTIATE

}  // namespace scalestudy::ops
