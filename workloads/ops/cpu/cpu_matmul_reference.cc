// Plain loops: slow, and easy to trust.
#include <vector>

#include "workloads/ops/cpu/cpu_matmul.h"

namespace scalestudy::ops {
namespace {

template <typename T>
class ReferenceMatmul final : public Matmul<T> {
 public:
  explicit ReferenceMatmul(const MatmulShape& shape) : shape_(shape), row_(shape.n) {}

  void run(const T* a, const T* b, const T* bias, T* c) override {
    const auto [m, n, k, a_transposed, b_transposed, has_bias] = shape_;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        row_[j] = has_bias ? static_cast<Real>(bias[j]) : Real{0};
      }
      for (std::size_t l = 0; l < k; ++l) {
        const Real factor = a_transposed ? a[l * m + i] : a[i * k + l];
        for (std::size_t j = 0; j < n; ++j) {
          row_[j] += factor * (b_transposed ? b[j * k + l] : b[l * n + j]);
        }
      }
      for (std::size_t j = 0; j < n; ++j) {
        c[i * n + j] = static_cast<T>(row_[j]);
      }
    }
  }

 private:
  using Real = device::Real<T>;

  MatmulShape shape_;
  std::vector<Real> row_;  // (n), of C
};

}  // namespace

template <typename T>
std::unique_ptr<Matmul<T>> make_reference_matmul(const MatmulShape& shape) {
  return std::make_unique<ReferenceMatmul<T>>(shape);
}

template std::unique_ptr<Matmul<float>> make_reference_matmul(const MatmulShape&);
template std::unique_ptr<Matmul<double>> make_reference_matmul(const MatmulShape&);
template std::unique_ptr<Matmul<device::Bf16>> make_reference_matmul(const MatmulShape&);
template std::unique_ptr<Matmul<device::Half>> make_reference_matmul(const MatmulShape&);

}  // namespace scalestudy::ops
