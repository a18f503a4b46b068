// fp32 products through oneDNN: the primitive, its memory objects and its scratchpad are made once.
#include <array>
#include <string>

#include <dnnl.hpp>

#include "workloads/ops/cpu_matmul.h"

namespace scalestudy::ops {
namespace {

using Dims = dnnl::memory::dims;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

const dnnl::stream& stream() {
  static const dnnl::stream in_order(engine());
  return in_order;
}

dnnl::memory::desc row_major(std::size_t rows, std::size_t columns, bool transposed) {
  const auto r = static_cast<dnnl_dim_t>(rows);
  const auto c = static_cast<dnnl_dim_t>(columns);
  return {Dims{r, c}, dnnl::memory::data_type::f32, transposed ? Dims{1, r} : Dims{c, 1}};
}

dnnl::matmul::primitive_desc describe(const MatmulShape& shape) {
  const auto a = row_major(shape.m, shape.k, shape.a_transposed);
  const auto b = row_major(shape.k, shape.n, shape.b_transposed);
  const auto c = row_major(shape.m, shape.n, false);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (shape.has_bias) {
    return {dnnl::matmul::desc(a, b, row_major(1, shape.n, false), c), attributes, engine()};
  }
  return {dnnl::matmul::desc(a, b, c), attributes, engine()};
}

class OnednnMatmul final : public Matmul<float> {
 public:
  OnednnMatmul(const MatmulShape& shape, device::Arena& arena)
      : description_(describe(shape)),
        primitive_(description_),
        a_(description_.src_desc(), engine(), nullptr),
        b_(description_.weights_desc(), engine(), nullptr),
        bias_(description_.bias_desc(), engine(), nullptr),
        c_(description_.dst_desc(), engine(), nullptr),
        scratchpad_(description_.scratchpad_desc(),
                    engine(),
                    arena.take<std::byte>(description_.scratchpad_desc().get_size()).data()),
        arguments_{{{DNNL_ARG_SRC, a_.get()},
                    {DNNL_ARG_WEIGHTS, b_.get()},
                    {DNNL_ARG_DST, c_.get()},
                    {DNNL_ARG_SCRATCHPAD, scratchpad_.get()},
                    {DNNL_ARG_BIAS, bias_.get()}}},
        argument_count_(shape.has_bias ? 5 : 4) {}

  void run(const float* a, const float* b, const float* bias, float* c) override {
    // oneDNN's handles are not const; the inputs are only read.
    a_.set_data_handle(const_cast<float*>(a));
    b_.set_data_handle(const_cast<float*>(b));
    if (bias != nullptr) {
      bias_.set_data_handle(const_cast<float*>(bias));
    }
    c_.set_data_handle(c);
    // The C call: primitive::execute() of dnnl.hpp builds a map and a vector on the heap every
    // time.
    const dnnl_status_t status = dnnl_primitive_execute(
        primitive_.get(), stream().get(), argument_count_, arguments_.data());
    dnnl::error::wrap_c_api(status, "oneDNN could not run a matrix product");
  }

 private:
  dnnl::matmul::primitive_desc description_;
  dnnl::matmul primitive_;
  dnnl::memory a_;
  dnnl::memory b_;
  dnnl::memory bias_;
  dnnl::memory c_;
  dnnl::memory scratchpad_;
  std::array<dnnl_exec_arg_t, 5> arguments_;  // bias last, left out when there is none
  int argument_count_;
};

}  // namespace

std::unique_ptr<Matmul<float>> make_onednn_matmul(const MatmulShape& shape, device::Arena& arena) {
  return std::make_unique<OnednnMatmul>(shape, arena);
}

const char* onednn_version() {
  static const std::string version = [] {
    const dnnl_version_t* v = dnnl_version();
    return std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' +
           std::to_string(v->patch);
  }();
  return version.c_str();
}

}  // namespace scalestudy::ops
