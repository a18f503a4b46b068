// The CPU backend: splits each operation over this rank's cores.
#include <type_traits>

#include <omp.h>

#include "workloads/ops/cpu_kernels.h"
#include "workloads/ops/cpu_matmul.h"
#include "workloads/ops/ops.h"

namespace scalestudy::ops {
namespace {

template <typename T>
class CpuOps final : public Ops<T> {
 public:
  explicit CpuOps(int threads) : threads_(threads) { omp_set_num_threads(threads); }

  std::unique_ptr<Matmul<T>> make_matmul(const MatmulShape& shape, device::Arena& arena) override {
    if constexpr (std::is_same_v<T, float>) {
      return make_onednn_matmul(shape, arena);
    } else {
      return make_reference_matmul(shape);
    }
  }

  void relu_dropout_forward(Matrix<T> y,
                            const ReluDropout<T>& function,
                            const DropoutKey& key) override {
    for_parts(y.rows, [&](std::size_t begin, std::size_t end) {
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
    for_parts(dy.columns, [&](std::size_t begin, std::size_t end) {
      relu_dropout_backward_columns(dy, y, function, bias_gradient, begin, end);
    });
  }

  void column_sums(Matrix<T> dy, T* sums) override {
    for_parts(dy.columns,
              [&](std::size_t begin, std::size_t end) { sum_columns(dy, sums, begin, end); });
  }

  double softmax_cross_entropy(Matrix<T> logits,
                               const std::int32_t* labels,
                               double scale) override {
    return sum_of_rows(logits.rows, [&](std::size_t row) {
      return softmax_cross_entropy_row(
          logits.data + row * logits.columns, logits.columns, labels[row], scale);
    });
  }

  double mean_squared_error(Matrix<T> output, const T* target, double scale) override {
    return sum_of_rows(output.rows, [&](std::size_t row) {
      const std::size_t offset = row * output.columns;
      return mean_squared_error_row(output.data + offset, target + offset, output.columns, scale);
    });
  }

  void update(const Sgd<T>& rule, std::span<T> p, const T* g, T* velocity) override {
    for_parts(p.size(), [&](std::size_t begin, std::size_t end) {
      sgd_range(rule, p.data() + begin, g + begin, velocity + begin, end - begin);
    });
  }

  void update(const AdamW<T>& rule, std::span<T> p, const T* g, T* m, T* v) override {
    for_parts(p.size(), [&](std::size_t begin, std::size_t end) {
      adamw_range(rule, p.data() + begin, g + begin, m + begin, v + begin, end - begin);
    });
  }

 private:
  // Calls work(begin, end) for one contiguous part of [0, count) a thread.
  template <typename Work>
  void for_parts(std::size_t count, const Work& work) const {
    const auto parts = static_cast<std::size_t>(threads_);
    if (parts == 1) {
      work(std::size_t{0}, count);
      return;
    }
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part) {
      work(count * part / parts, count * (part + 1) / parts);
    }
  }

  template <typename Work>
  double sum_of_rows(std::size_t rows, const Work& work) const {
    double sum = 0.0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : sum) if (threads_ > 1)
    for (std::size_t row = 0; row < rows; ++row) {
      sum += work(row);
    }
    return sum;
  }

  int threads_;
};

}  // namespace

template <typename T>
std::unique_ptr<Ops<T>> make_cpu_ops(int threads) {
  return std::make_unique<CpuOps<T>>(threads);
}

template std::unique_ptr<Ops<float>> make_cpu_ops(int threads);
template std::unique_ptr<Ops<double>> make_cpu_ops(int threads);

}  // namespace scalestudy::ops
