// fp32 and bf16 products through oneDNN.
#include <string_view>
#include <type_traits>

#include <dnnl.hpp>

#include "workloads/ops/cpu/cpu_matmul.h"
#include "workloads/ops/cpu/onednn.h"

namespace scalestudy::ops {
namespace {

using Dims = dnnl::memory::dims;

template <typename T>
dnnl::memory::desc row_major(std::size_t rows, std::size_t columns, bool transposed) {
  const auto r = static_cast<dnnl_dim_t>(rows);
  const auto c = static_cast<dnnl_dim_t>(columns);
  return {Dims{r, c},
          static_cast<dnnl::memory::data_type>(onednn_type(device::kDataType<T>)),
          transposed ? Dims{1, r} : Dims{c, 1}};
}

template <typename T>
dnnl::matmul::desc describe(const MatmulShape& shape) {
  const auto a = row_major<T>(shape.m, shape.k, shape.a_transposed);
  const auto b = row_major<T>(shape.k, shape.n, shape.b_transposed);
  const auto c = row_major<T>(shape.m, shape.n, false);
  if (shape.has_bias) {
    return {a, b, row_major<T>(1, shape.n, false), c};
  }
  return {a, b, c};
}

// Of the fp32 implementations oneDNN has, its first choice transposes A by itself, and loses the
// cache to wide weights and to rows that lie a multiple of 4 KiB apart: its packed one was 0.46 to
// 0.98 of its time for weight gradients but for those much deeper than wide, and 0.47 to 1.0 in
// those cases. By shape, not by a race at set-up: the bits of a run would depend on it.
bool is_better_packed(const MatmulShape& shape) {
  constexpr std::size_t cached_elements = std::size_t{1} << 20U;
  constexpr std::size_t aliased_elements = 4096 / sizeof(float);
  if (shape.a_transposed) {
    return shape.k < 8 * shape.n;
  }
  return shape.k * shape.n > cached_elements ||
         (!shape.b_transposed && shape.n % aliased_elements == 0);
}

template <typename T>
dnnl::matmul::primitive_desc choose(const MatmulShape& shape) {
  const dnnl::matmul::desc description = describe<T>(shape);
  dnnl::matmul::primitive_desc first(description, onednn_attributes(), onednn_engine());
  if (std::is_same_v<T, float> && is_better_packed(shape)) {
    dnnl::matmul::primitive_desc next(description, onednn_attributes(), onednn_engine());
    while (next.next_impl()) {
      if (std::string_view(next.impl_info_str()) == "gemm:jit") {
        return next;
      }
    }
  }
  return first;
}

template <typename T>
OnednnPrimitive make_primitive(const MatmulShape& shape) {
  const dnnl::matmul::primitive_desc description = choose<T>(shape);
  if (shape.has_bias) {
    return {description,
            {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD, DNNL_ARG_BIAS}};
  }
  return {description, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD}};
}

template <typename T>
class OnednnMatmul final : public Matmul<T> {
 public:
  OnednnMatmul(const MatmulShape& shape, device::Arena& arena, Kernels& kernels)
      : has_bias_(shape.has_bias), primitive_(make_primitive<T>(shape)), arena_(arena) {
    arena.reserve_scratch(primitive_.scratchpad_bytes());
    kernels["matmul"].insert(primitive_.kernel());
  }

  void run(const T* a, const T* b, const T* bias, T* c) override {
    if (has_bias_) {
      primitive_.run({a, b, c, arena_.scratch(), bias});
    } else {
      primitive_.run({a, b, c, arena_.scratch()});
    }
  }

 private:
  bool has_bias_;
  OnednnPrimitive primitive_;
  device::Arena& arena_;
};

}  // namespace

template <typename T>
std::unique_ptr<Matmul<T>> make_onednn_matmul(const MatmulShape& shape,
                                              device::Arena& arena,
                                              Kernels& kernels) {
  return std::make_unique<OnednnMatmul<T>>(shape, arena, kernels);
}

template decltype(make_onednn_matmul<float>) make_onednn_matmul<float>;
template decltype(make_onednn_matmul<device::Bf16>) make_onednn_matmul<device::Bf16>;

}  // namespace scalestudy::ops
