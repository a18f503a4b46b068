// Plain loops in double: slow, and easy to trust.
#include "workloads/ops/cpu_matmul.h"

namespace scalestudy::ops {
namespace {

class ReferenceMatmul final : public Matmul<double> {
 public:
  explicit ReferenceMatmul(const MatmulShape& shape) : shape_(shape) {}

  void run(const double* a, const double* b, const double* bias, double* c) override {
    const auto [m, n, k, a_transposed, b_transposed, has_bias] = shape_;
    for (std::size_t i = 0; i < m; ++i) {
      double* row = c + i * n;  // (n)
      for (std::size_t j = 0; j < n; ++j) {
        row[j] = has_bias ? bias[j] : 0.0;
      }
      for (std::size_t l = 0; l < k; ++l) {
        const double factor = a_transposed ? a[l * m + i] : a[i * k + l];
        for (std::size_t j = 0; j < n; ++j) {
          row[j] += factor * (b_transposed ? b[j * k + l] : b[l * n + j]);
        }
      }
    }
  }

 private:
  MatmulShape shape_;
};

}  // namespace

std::unique_ptr<Matmul<double>> make_reference_matmul(const MatmulShape& shape) {
  return std::make_unique<ReferenceMatmul>(shape);
}

}  // namespace scalestudy::ops
