// fp32 products through oneDNN.
#include <string_view>

#include <dnnl.hpp>

#include "workloads/ops/cpu/cpu_matmul.h"
#include "workloads/ops/cpu/onednn.h"

namespace scalestudy::ops {
namespace {

using Dims = dnnl::memory::dims;

dnnl::memory::desc row_major(std::size_t rows, std::size_t columns, bool transposed) {
  const auto r = static_cast<dnnl_dim_t>(rows);
  const auto c = static_cast<dnnl_dim_t>(columns);
  return {Dims{r, c}, dnnl::memory::data_type::f32, transposed ? Dims{1, r} : Dims{c, 1}};
}

dnnl::matmul::desc describe(const MatmulShape& shape) {
  const auto a = row_major(shape.m, shape.k, shape.a_transposed);
  const auto b = row_major(shape.k, shape.n, shape.b_transposed);
  const auto c = row_major(shape.m, shape.n, false);
  if (shape.has_bias) {
    return {a, b, row_major(1, shape.n, false), c};
  }
  return {a, b, c};
}

// Of the implementations oneDNN has, its first choice transposes A by itself, and loses the cache
// to wide weights and to rows that lie a multiple of 4 KiB apart: its packed one was 0.46 to 0.98
// of its time for weight gradients but for those much deeper than wide, and 0.47 to 1.0 in those
// cases. By shape, not by a race at set-up: the bits of a run would depend on it.
bool is_better_packed(const MatmulShape& shape) {
  constexpr std::size_t cached_elements = std::size_t{1} << 20U;
  constexpr std::size_t aliased_elements = 4096 / sizeof(float);
  if (shape.a_transposed) {
    return shape.k < 8 * shape.n;
  }
  return shape.k * shape.n > cached_elements ||
         (!shape.b_transposed && shape.n % aliased_elements == 0);
}

dnnl::matmul::primitive_desc choose(const MatmulShape& shape) {
  const dnnl::matmul::desc description = describe(shape);
  dnnl::matmul::primitive_desc first(description, onednn_attributes(), onednn_engine());
  if (is_better_packed(shape)) {
    dnnl::matmul::primitive_desc next(description, onednn_attributes(), onednn_engine());
    while (next.next_impl()) {
      if (std::string_view(next.impl_info_str()) == "gemm:jit") {
        return next;
      }
    }
  }
  return first;
}

OnednnPrimitive make_primitive(const MatmulShape& shape) {
  const dnnl::matmul::primitive_desc description = choose(shape);
  if (shape.has_bias) {
    return {description,
            {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD, DNNL_ARG_BIAS}};
  }
  return {description, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD}};
}

class OnednnMatmul final : public Matmul<float> {
 public:
  OnednnMatmul(const MatmulShape& shape, device::Arena& arena)
      : has_bias_(shape.has_bias), primitive_(make_primitive(shape)), arena_(arena) {
    arena.reserve_scratch(primitive_.scratchpad_bytes());
  }

  void run(const float* a, const float* b, const float* bias, float* c) override {
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

std::unique_ptr<Matmul<float>> make_onednn_matmul(const MatmulShape& shape, device::Arena& arena) {
  return std::make_unique<OnednnMatmul>(shape, arena);
}

}  // namespace scalestudy::ops
