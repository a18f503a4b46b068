// Batch normalisation, the residual and the ReLU behind it in two passes over the rows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "workloads/ops/cpu/cpu_images.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/elementwise_batch_norm.h"

namespace scalestudy::ops {
namespace {

using device::Real;

// Rows of a group that are summed in Real before they are added to the sums in double.
constexpr std::size_t kRows = 64;

// Columns [begin, end) of `rows` rows.
struct Block {
  std::size_t rows;
  std::size_t stride;
  std::size_t begin;
  std::size_t end;
};

// sum += x - origin, square += (x - origin)^2. With an origin inside the data nothing cancels in
// the variance. source: Chan, Golub, LeVeque, The American Statistician 37(3), 1983, equation 1.7.
template <typename T>
SCALESTUDY_VECTORISED void add_moments(
    const T* x, const Block& block, const Real<T>* origin, Real<T>* sum, Real<T>* square) {
  const std::size_t begin = block.begin;
  const std::size_t end = block.end;
  for (std::size_t row = 0; row < block.rows; ++row) {
    const T* values = x + row * block.stride;
#pragma omp simd
    for (std::size_t c = begin; c < end; ++c) {
      const Real<T> value = values[c] - origin[c];
      sum[c] += value;
      square[c] += value * value;
    }
  }
}

// One value a channel each.
template <typename T>
struct Line {
  const Real<T>* factor;
  const Real<T>* offset;
};

template <typename T>
struct Sums {
  Real<T>* gradients;
  Real<T>* products;
};

template <typename T>
struct Slopes {
  const Real<T>* factor;
  const Real<T>* slope;
  const Real<T>* offset;
  const Real<T>* mean;
};

// y = factor x + offset [+ residual], floor at least. A NaN stays one.
template <typename T, bool kHasResidual>
SCALESTUDY_VECTORISED void normalise(
    const T* x, const T* residual, const Block& block, const Line<T>& line, Real<T> floor, T* y) {
  const std::size_t begin = block.begin;
  const std::size_t end = block.end;
  const Real<T>* factor = line.factor;
  const Real<T>* offset = line.offset;
  for (std::size_t row = 0; row < block.rows; ++row) {
    const std::size_t first = row * block.stride;
    const T* values = x + first;
    T* results = y + first;
#pragma omp simd
    for (std::size_t c = begin; c < end; ++c) {
      Real<T> value = factor[c] * values[c] + offset[c];
      if constexpr (kHasResidual) {
        value += residual[first + c];
      }
      results[c] = device::rounded<T>(value < floor ? floor : value);
    }
  }
}

// dy = 0 where the ReLU was off; sums of dy and of dy (x - mean) are added to.
template <typename T, bool kHasRelu>
SCALESTUDY_VECTORISED void add_gradients(
    const T* x, const T* y, T* dy, const Block& block, const Real<T>* mean, const Sums<T>& sums) {
  const std::size_t begin = block.begin;
  const std::size_t end = block.end;
  Real<T>* sum = sums.gradients;
  Real<T>* product_sum = sums.products;
  for (std::size_t row = 0; row < block.rows; ++row) {
    const std::size_t first = row * block.stride;
    const T* values = x + first;
    T* gradients = dy + first;
#pragma omp simd
    for (std::size_t c = begin; c < end; ++c) {
      Real<T> gradient = gradients[c];
      if constexpr (kHasRelu) {
        gradient = y[first + c] <= T(0) ? Real<T>{0} : gradient;
        gradients[c] = device::rounded<T>(gradient);
      }
      sum[c] += gradient;
      product_sum[c] += gradient * (values[c] - mean[c]);
    }
  }
}

// dx = factor dy - slope (x - mean) - offset.
template <typename T>
SCALESTUDY_VECTORISED void propagate(
    const T* x, const T* dy, const Block& block, const Slopes<T>& slopes, T* dx) {
  const std::size_t begin = block.begin;
  const std::size_t end = block.end;
  const Real<T>* factor = slopes.factor;
  const Real<T>* slope = slopes.slope;
  const Real<T>* offset = slopes.offset;
  const Real<T>* mean = slopes.mean;
  for (std::size_t row = 0; row < block.rows; ++row) {
    const T* values = x + row * block.stride;
    const T* gradients = dy + row * block.stride;
    T* results = dx + row * block.stride;
#pragma omp simd
    for (std::size_t c = begin; c < end; ++c) {
      results[c] = device::rounded<T>(factor[c] * gradients[c] - slope[c] * (values[c] - mean[c]) -
                                      offset[c]);
    }
  }
}

// Threads share the channels, so that sums do not depend on their number.
template <typename T>
class CpuBatchNorm final : public BatchNorm<T> {
 public:
  CpuBatchNorm(const BatchNormShape& shape, int threads, device::Arena& arena)
      : shape_(shape),
        threads_(threads),
        group_rows_(shape.rows / shape.groups),
        means_(arena.take<Real<T>>(shape.groups * shape.channels).data()),
        inverse_deviations_(arena.take<Real<T>>(shape.groups * shape.channels).data()),
        running_mean_(arena.take<Real<T>>(shape.channels).data()),
        running_variance_(arena.take<Real<T>>(shape.channels).data()) {
    for (auto& row : rows_) {
      row = arena.take<Real<T>>(shape.channels).data();
    }
    for (auto& row : sums_) {
      row = arena.take<double>(shape.channels).data();
    }
    std::fill_n(running_variance_, shape.channels, Real<T>{1});
  }

  void forward(const T* x,
               const T* residual,
               const T* scale,
               const T* shift,
               T* y,
               bool is_training) override {
    for_groups([&](std::size_t group, Block block) {
      const std::size_t first = group * group_rows_ * shape_.channels;
      Real<T>* mean = is_training ? means_ + group * shape_.channels : running_mean_;
      Real<T>* inverse_deviation = inverse_deviations_ + group * shape_.channels;
      if (is_training) {
        measure(x + first, block, group);
      } else {
        for (std::size_t c = block.begin; c < block.end; ++c) {
          inverse_deviation[c] = inverse_root(running_variance_[c]);
        }
      }
      Real<T>* factor = rows_[0];
      Real<T>* offset = rows_[1];
      for (std::size_t c = block.begin; c < block.end; ++c) {
        const BatchNormForward<Real<T>> channel(mean[c], inverse_deviation[c], scale[c], shift[c]);
        factor[c] = channel.factor;
        offset[c] = channel.offset;
      }
      const Real<T> floor =
          shape_.has_relu ? Real<T>{0} : -std::numeric_limits<Real<T>>::infinity();
      if (residual == nullptr) {
        normalise<T, false>(x + first, nullptr, block, {factor, offset}, floor, y + first);
      } else {
        normalise<T, true>(x + first, residual + first, block, {factor, offset}, floor, y + first);
      }
    });
  }

  // NOLINTNEXTLINE(readability-function-size): the arguments of BatchNorm
  void backward(
      const T* x, const T* y, const T* scale, T* dy, T* dscale, T* dshift, T* dx) override {
    for_groups([&](std::size_t group, Block block) {
      const std::size_t first = group * group_rows_ * shape_.channels;
      const Real<T>* mean = means_ + group * shape_.channels;
      const Real<T>* inverse_deviation = inverse_deviations_ + group * shape_.channels;
      sum_rows(block, [&](std::size_t offset, const Block& rows) {
        const std::size_t at = first + offset;
        if (shape_.has_relu) {
          add_gradients<T, true>(x + at, y + at, dy + at, rows, mean, {rows_[0], rows_[1]});
        } else {
          add_gradients<T, false>(x + at, nullptr, dy + at, rows, mean, {rows_[0], rows_[1]});
        }
      });
      for (std::size_t c = block.begin; c < block.end; ++c) {
        const auto sum = static_cast<Real<T>>(sums_[0][c]);
        const auto product_sum = static_cast<Real<T>>(sums_[1][c]);
        const BatchNormBackward<Real<T>> channel(
            inverse_deviation[c], scale[c], sum, product_sum, static_cast<Real<T>>(group_rows_));
        rows_[0][c] = channel.factor;
        rows_[1][c] = channel.slope;
        rows_[2][c] = channel.offset;
        const Real<T> before_scale = group == 0 ? Real<T>{0} : Real<T>(dscale[c]);
        const Real<T> before_shift = group == 0 ? Real<T>{0} : Real<T>(dshift[c]);
        dscale[c] = static_cast<T>(before_scale + product_sum * inverse_deviation[c]);
        dshift[c] = static_cast<T>(before_shift + sum);
      }
      propagate<T>(x + first, dy + first, block, {rows_[0], rows_[1], rows_[2], mean}, dx + first);
    });
  }

 private:
  template <typename Work>
  void for_groups(const Work& work) {
    for_parts(threads_, shape_.channels, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = 0; group < shape_.groups; ++group) {
        work(group, Block{group_rows_, shape_.channels, begin, end});
      }
    });
  }

  // Calls add(offset, rows) for parts of the block's rows; it adds to rows_[0] and rows_[1], which
  // end up in sums_.
  template <typename Add>
  void sum_rows(const Block& block, const Add& add) {
    for (double* sum : sums_) {
      std::fill(sum + block.begin, sum + block.end, 0.0);
    }
    for (std::size_t row = 0; row < block.rows; row += kRows) {
      for (std::size_t i = 0; i < 2; ++i) {
        std::fill(rows_[i] + block.begin, rows_[i] + block.end, Real<T>{0});
      }
      Block part = block;
      part.rows = std::min(kRows, block.rows - row);
      add(row * block.stride, part);
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t c = block.begin; c < block.end; ++c) {
          sums_[i][c] += static_cast<double>(rows_[i][c]);
        }
      }
    }
  }

  // Mean and deviation of one group; its share of the running statistics, of which the first group
  // takes away what is forgotten.
  void measure(const T* x, const Block& block, std::size_t group) {
    Real<T>* mean = means_ + group * shape_.channels;
    Real<T>* inverse_deviation = inverse_deviations_ + group * shape_.channels;
    Real<T>* origin = rows_[2];
    for (std::size_t c = block.begin; c < block.end; ++c) {
      origin[c] = x[c];
    }
    sum_rows(block, [&](std::size_t offset, const Block& rows) {
      add_moments(x + offset, rows, origin, rows_[0], rows_[1]);
    });
    const auto count = static_cast<double>(block.rows);
    const auto kept = static_cast<Real<T>>(group == 0 ? 1.0 - shape_.momentum : 1.0);
    const double share = shape_.momentum / static_cast<double>(shape_.groups);
    for (std::size_t c = block.begin; c < block.end; ++c) {
      const double shifted_mean = sums_[0][c] / count;
      const double variance = at_least_zero(sums_[1][c] / count - shifted_mean * shifted_mean);
      mean[c] = static_cast<Real<T>>(static_cast<double>(origin[c]) + shifted_mean);
      inverse_deviation[c] = inverse_root(variance);
      const double unbiased = block.rows > 1 ? variance * count / (count - 1.0) : variance;
      running_mean_[c] =
          kept * running_mean_[c] + static_cast<Real<T>>(share * static_cast<double>(mean[c]));
      running_variance_[c] = kept * running_variance_[c] + static_cast<Real<T>>(share * unbiased);
    }
  }

  Real<T> inverse_root(double variance) const {
    return static_cast<Real<T>>(1.0 / std::sqrt(variance + shape_.epsilon));
  }

  BatchNormShape shape_;
  int threads_;
  std::size_t group_rows_;
  Real<T>* means_;               // (groups, channels), of the last training forward
  Real<T>* inverse_deviations_;  // (groups, channels)
  Real<T>* running_mean_;        // (channels)
  Real<T>* running_variance_;    // (channels)
  Real<T>* rows_[3] = {};        // (channels) each: sums of some rows, factors
  double* sums_[2] = {};         // (channels) each, over a group
};

}  // namespace

template <typename T>
std::unique_ptr<BatchNorm<T>> make_cpu_batch_norm(const BatchNormShape& shape,
                                                  int threads,
                                                  device::Arena& arena) {
  return std::make_unique<CpuBatchNorm<T>>(shape, threads, arena);
}

template decltype(make_cpu_batch_norm<float>) make_cpu_batch_norm<float>;
template decltype(make_cpu_batch_norm<double>) make_cpu_batch_norm<double>;
template decltype(make_cpu_batch_norm<device::Bf16>) make_cpu_batch_norm<device::Bf16>;
template decltype(make_cpu_batch_norm<device::Half>) make_cpu_batch_norm<device::Half>;

}  // namespace scalestudy::ops
