// The CPU backend: elementwise loops and losses, split over this rank's cores.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "workloads/ops/cpu/cpu_flat.h"
#include "workloads/ops/cpu/cpu_images.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_matmul.h"
#include "workloads/ops/cpu/cpu_recurrent.h"
#include "workloads/ops/cpu/cpu_threads.h"
#include "workloads/ops/cpu/cpu_transformer.h"
#include "workloads/ops/ops.h"

namespace scalestudy::ops {
namespace {

// y[0, columns) = dropout(relu(y)) for one sample of the step.
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
  const std::uint32_t step = key.step;
  const std::uint32_t layer = key.layer;
  const std::size_t quads = columns / 4;
#pragma omp simd
  for (std::size_t quad = 0; quad < quads; ++quad) {
    const PhiloxBlock block = philox4x32_10(
        philox_counter(static_cast<std::uint32_t>(quad), sample, step, Purpose::kDropout, layer),
        philox);
    y[4 * quad] = f.forward(y[4 * quad], block.word[0]);
    y[4 * quad + 1] = f.forward(y[4 * quad + 1], block.word[1]);
    y[4 * quad + 2] = f.forward(y[4 * quad + 2], block.word[2]);
    y[4 * quad + 3] = f.forward(y[4 * quad + 3], block.word[3]);
  }
  const PhiloxBlock last = philox4x32_10(
      philox_counter(static_cast<std::uint32_t>(quads), sample, step, Purpose::kDropout, layer),
      philox);
  for (std::size_t column = 4 * quads; column < columns; ++column) {
    y[column] = f.forward(y[column], last.word[column % 4]);
  }
}

// Columns [begin, end): dy = gradient before relu and dropout; totals (end - begin) += its column
// sums.
template <typename T, typename Real = device::Real<T>>
SCALESTUDY_VECTORISED void relu_dropout_backward_columns(Matrix<T> dy,
                                                         const T* y,
                                                         const ReluDropout<T>& function,
                                                         Real* totals,
                                                         std::size_t begin,
                                                         std::size_t end) {
  const ReluDropout<T> f = function;
  for (std::size_t row = 0; row < dy.rows; ++row) {
    T* gradient = dy.data + row * dy.columns + begin;
    const T* value = y + row * dy.columns + begin;
#pragma omp simd
    for (std::size_t column = 0; column < end - begin; ++column) {
      gradient[column] = f.backward(value[column], gradient[column]);
      totals[column] += gradient[column];
    }
  }
}

// Columns [begin, end): totals (end - begin) += column sums of dy.
template <typename T, typename Real = device::Real<T>>
SCALESTUDY_VECTORISED void add_columns(Matrix<T> dy,
                                       Real* totals,
                                       std::size_t begin,
                                       std::size_t end) {
  for (std::size_t row = 0; row < dy.rows; ++row) {
    const T* gradient = dy.data + row * dy.columns + begin;
#pragma omp simd
    for (std::size_t column = 0; column < end - begin; ++column) {
      totals[column] += gradient[column];
    }
  }
}

// row[0, columns) becomes (softmax(row) - onehot(label)) * scale. Returns -log softmax(row)[label].
template <typename T>
SCALESTUDY_VECTORISED double softmax_cross_entropy_row(T* row,
                                                       std::size_t columns,
                                                       std::int32_t label,
                                                       double scale) {
  using Real = device::Real<T>;
  Real maximum = row[0];
#pragma omp simd reduction(max : maximum)
  for (std::size_t column = 0; column < columns; ++column) {
    const Real logit = row[column];
    maximum = logit > maximum ? logit : maximum;
  }
  const Real label_logit = row[label] - maximum;
  Real sum = 0;
  if constexpr (std::is_same_v<T, Real>) {
#pragma omp simd reduction(+ : sum)
    for (std::size_t column = 0; column < columns; ++column) {
      const Real power = exponential(row[column] - maximum);
      row[column] = power;
      sum += power;
    }
    const Real factor = static_cast<Real>(scale) / sum;
#pragma omp simd
    for (std::size_t column = 0; column < columns; ++column) {
      row[column] *= factor;
    }
    row[label] -= static_cast<Real>(scale);
  } else {  // rounded once: a probability rounded to 1 would leave its label no gradient
#pragma omp simd reduction(+ : sum)
    for (std::size_t column = 0; column < columns; ++column) {
      sum += exponential(row[column] - maximum);
    }
    const Real factor = static_cast<Real>(scale) / sum;
#pragma omp simd
    for (std::size_t column = 0; column < columns; ++column) {
      row[column] = device::rounded<T>(exponential(row[column] - maximum) * factor);
    }
    row[label] =
        static_cast<T>((exponential(label_logit) / sum - Real{1}) * static_cast<Real>(scale));
  }
  return std::log(static_cast<double>(sum)) - static_cast<double>(label_logit);
}

// row[0, columns) becomes 2 (row - target) / columns * scale. Returns the mean of (row - target)^2.
template <typename T>
SCALESTUDY_VECTORISED double mean_squared_error_row(T* row,
                                                    const T* target,
                                                    std::size_t columns,
                                                    double scale) {
  using Real = device::Real<T>;
  const Real factor = static_cast<Real>(2.0 * scale / static_cast<double>(columns));
  Real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t column = 0; column < columns; ++column) {
    const Real difference = row[column] - target[column];
    sum += difference * difference;
    row[column] = device::rounded<T>(factor * difference);
  }
  return static_cast<double>(sum) / static_cast<double>(columns);
}

template <typename T>
class CpuOps final : public Ops<T> {
  using Real = device::Real<T>;

 public:
  CpuOps(int threads, bool keeps_weights)
      : threads_(threads),
        keeps_weights_(keeps_weights),
        part_sums_(static_cast<std::size_t>(threads)) {
    set_cpu_threads(threads);
    bind_main_thread();
  }

  std::unique_ptr<Matmul<T>> make_matmul(const MatmulShape& shape, device::Arena& arena) override {
    if constexpr (kHasOnednn<T>) {
      if (uses_onednn<T>()) {
        return make_onednn_matmul<T>(shape, arena, kernels_);
      }
    }
    return make_reference_matmul<T>(shape);
  }

  std::unique_ptr<Convolution<T>> make_convolution(const ConvolutionShape& shape,
                                                   device::Arena& arena) override {
    if constexpr (kHasOnednn<T>) {
      if (uses_onednn<T>()) {
        return make_onednn_convolution<T>(shape, arena, kernels_);
      }
    }
    return make_reference_convolution<T>(shape);
  }

  std::unique_ptr<BatchNorm<T>> make_batch_norm(const BatchNormShape& shape,
                                                device::Arena& arena) override {
    return make_cpu_batch_norm<T>(shape, threads_, arena);
  }

  std::unique_ptr<MaxPooling<T>> make_max_pooling(const PoolingShape& shape,
                                                  device::Arena& arena) override {
    return make_cpu_max_pooling<T>(shape, threads_, arena);
  }

  void average_positions(const T* x, std::size_t positions, Matrix<T> y) override {
    cpu_average_positions(x, positions, y, threads_);
  }

  void spread_positions(Matrix<T> dy, std::size_t positions, T* dx) override {
    cpu_spread_positions(dy, positions, dx, threads_);
  }

  std::unique_ptr<Recurrent<T>> make_recurrent(const RecurrentShape& shape,
                                               device::Arena& arena) override {
    return make_cpu_recurrent<T>(shape, threads_, *this, arena);
  }

  std::unique_ptr<Embedding<T>> make_embedding(const EmbeddingShape& shape,
                                               device::Arena& arena) override {
    return make_cpu_embedding<T>(shape, threads_, arena);
  }
  std::unique_ptr<RowNorm<T>> make_row_norm(const RowNormShape& shape,
                                            device::Arena& arena) override {
    return make_cpu_row_norm<T>(shape, threads_, arena);
  }
  std::unique_ptr<Attention<T>> make_attention(const AttentionShape& shape,
                                               device::Arena& arena) override {
    return make_cpu_attention<T>(shape, {threads_, keeps_weights_}, arena, kernels_);
  }
  std::unique_ptr<Activation<T>> make_activation(const ActivationShape& shape,
                                                 device::Arena& /*arena*/) override {
    return make_cpu_activation<T>(shape, threads_);
  }
  std::unique_ptr<TopK<T>> make_top_k(std::size_t most, device::Arena& arena) override {
    return make_cpu_top_k<T>(most, arena);
  }

  void relu_dropout_forward(Matrix<T> y,
                            const ReluDropout<T>& function,
                            const DropoutKey& key) override {
    for_parts(threads_, y.rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        relu_dropout_row(y.data + row * y.columns,
                         y.columns,
                         function,
                         key,
                         key.first_sample + static_cast<std::uint32_t>(row));
      }
    });
  }

  void relu_dropout_backward(Matrix<T> dy,
                             const T* y,
                             const ReluDropout<T>& function,
                             T* bias_gradient) override {
    for_parts(threads_, dy.columns, [&](std::size_t begin, std::size_t end) {
      sum_columns_of(bias_gradient, begin, end, [&](auto first, auto last, Real* totals) {
        relu_dropout_backward_columns(dy, y, function, totals, first, last);
      });
    });
  }

  void column_sums(Matrix<T> dy, T* sums) override {
    for_parts(threads_, dy.columns, [&](std::size_t begin, std::size_t end) {
      sum_columns_of(sums, begin, end, [&](auto first, auto last, Real* totals) {
        add_columns(dy, totals, first, last);
      });
    });
  }

  void softmax_cross_entropy(Matrix<T> logits,
                             const Labels& labels,
                             double scale,
                             double* loss,
                             const LossScale* loss_scale) override {
    const double gradient_scale = scale * factor_of(loss_scale);
    *loss += scale * ordered_sum(part_sums_, logits.rows, [&](std::size_t row) {
               T* const first = logits.data + row * logits.columns;
               std::fill(first + labels.classes, first + logits.columns, T{0});
               return softmax_cross_entropy_row(
                   first, labels.classes, labels.values[row], gradient_scale);
             });
  }

  void mean_squared_error(Matrix<T> output,
                          const T* target,
                          double scale,
                          double* loss,
                          const LossScale* loss_scale) override {
    const double gradient_scale = scale * factor_of(loss_scale);
    *loss += scale * ordered_sum(part_sums_, output.rows, [&](std::size_t row) {
               const std::size_t offset = row * output.columns;
               return mean_squared_error_row(
                   output.data + offset, target + offset, output.columns, gradient_scale);
             });
  }

  void add(std::span<T> y, const T* x) override { run_add(y, x); }
  void accumulate(std::span<Real> sum, const T* x) override { run_add(sum, x); }
  void add_accumulated(std::span<T> y, const Real* sum) override { run_add(y, sum); }
  void scale(std::span<Real> values, Real factor) override {
    for_parts(threads_, values.size(), [&](std::size_t begin, std::size_t end) {
      scale_range(values.data() + begin, factor, end - begin);
    });
  }

  void pack(std::span<const T> gradients, const Packed& to) override {
    with_type(
        to, [&](auto* wire) { run_convert(gradients.data(), std::span(wire, gradients.size())); });
  }
  void unpack(const Packed& from, std::span<T> gradients) override {
    with_type(from, [&](const auto* wire) { run_convert(wire, gradients); });
  }

  void add_squares(std::span<const T> values, double* sum) override {
    // Parts that do not depend on threads: every rank gets the same bits for the same gradients.
    std::array<double, 64> sums{};
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1)
    for (std::size_t part = 0; part < sums.size(); ++part) {
      sums[part] = square_sum_range(values.data(),
                                    values.size() * part / sums.size(),
                                    values.size() * (part + 1) / sums.size());
    }
    *sum = std::accumulate(sums.begin(), sums.end(), *sum);
  }

  void update(const Sgd<Real>& rule, const Weights<T>& weights, Real* velocity) override {
    run_update(rule, weights, velocity);
  }

  void update(const AdamW<Real>& rule, const Weights<T>& weights, Real* m, Real* v) override {
    const LossScale* const scale = weights.factor.loss_scale;
    run_update(scale == nullptr ? rule : rule.at_update(scale->updates + 1), weights, m, v);
  }

  void find_overflow(std::span<const T> gradients, LossScale* loss_scale) override {
    const bool is_finite = std::all_of(gradients.begin(), gradients.end(), [](T gradient) {
      return std::isfinite(static_cast<Real>(gradient));
    });
    loss_scale->has_overflowed = is_finite ? 0 : 1;
  }
  void find_overflow(const double* square_sum, LossScale* loss_scale) override {
    loss_scale->has_overflowed = std::isfinite(*square_sum) ? 0 : 1;
  }
  void advance(LossScale* loss_scale) override {
    loss_scale->advance();
  }

  std::map<std::string, std::string> choices() const override {
    return choices_of(kernels_);
  }

 private:
  static double factor_of(const LossScale* loss_scale) {
    return loss_scale == nullptr ? 1.0 : static_cast<double>(loss_scale->scale);
  }

  template <typename To, typename From>
  void run_add(std::span<To> y, const From* x) {
    for_parts(threads_, y.size(), [&](std::size_t begin, std::size_t end) {
      add_range(y.data() + begin, x + begin, end - begin);
    });
  }

  template <typename To, typename From>
  void run_convert(const From* from, std::span<To> to) {
    for_parts(threads_, to.size(), [&](std::size_t begin, std::size_t end) {
      convert_range(from + begin, to.data() + begin, end - begin);
    });
  }

  template <typename Rule, typename... State>
  void run_update(const Rule& rule, const Weights<T>& weights, State... state) {
    const LossScale* const scale = weights.factor.loss_scale;
    if (scale != nullptr && scale->has_overflowed != 0) {
      return;
    }
    for_parts(threads_, weights.values.size(), [&](std::size_t begin, std::size_t end) {
      update_range(rule, weights, begin, end, state...);
    });
  }

  int threads_;
  bool keeps_weights_;
  std::vector<double> part_sums_;
  Kernels kernels_;
};

}  // namespace

template <typename T>
std::unique_ptr<Ops<T>> make_cpu_ops(int threads, bool keeps_weights) {
  return std::make_unique<CpuOps<T>>(threads, keeps_weights);
}

template std::unique_ptr<Ops<float>> make_cpu_ops(int threads, bool keeps_weights);
template std::unique_ptr<Ops<double>> make_cpu_ops(int threads, bool keeps_weights);
template std::unique_ptr<Ops<device::Bf16>> make_cpu_ops(int threads, bool keeps_weights);
template std::unique_ptr<Ops<device::Half>> make_cpu_ops(int threads, bool keeps_weights);

}  // namespace scalestudy::ops
