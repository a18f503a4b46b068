// Shared by the operations made of oneDNN primitives. Files that include this link oneDNN.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>

#include "workloads/device/arena.h"
#include "workloads/device/data_type.h"
#include "workloads/ops/cpu/cpu_library.h"

namespace dnnl {
struct engine;
struct primitive_attr;
struct primitive_desc_base;
}  // namespace dnnl

namespace scalestudy::ops {

const dnnl::engine& onednn_engine();
// Attributes of primitives whose scratch memory the caller gives.
const dnnl::primitive_attr& onednn_attributes();

// oneDNN's names of the kernels it chose, by operation: "matmul" -> "brg:avx512_core_bf16".
using Kernels = std::map<std::string, std::set<std::string>>;
// Them as Ops::choices(): "algorithms" -> "matmul: brg:avx512_core, gemm:jit"; empty for none.
std::map<std::string, std::string> choices_of(const Kernels& kernels);

// The types that oneDNN's primitives are made for here, and their dnnl::memory::data_type.
template <typename T>
inline constexpr bool kHasOnednn = std::is_same_v<T, float> || std::is_same_v<T, device::Bf16>;
int onednn_type(device::DataType type);

// Whether operations on such a type go through oneDNN on these cores.
template <typename T>
bool uses_onednn() {
  return std::is_same_v<T, float> || has_bf16_products();
}

// A primitive with its memory objects, made once: a run takes the addresses of its arguments and
// does not allocate in this program's code.
class OnednnPrimitive {
 public:
  // arguments  DNNL_ARG_ numbers of all arguments of the primitive.
  OnednnPrimitive(const dnnl::primitive_desc_base& description,
                  std::initializer_list<int> arguments);
  OnednnPrimitive(const OnednnPrimitive&) = delete;
  OnednnPrimitive& operator=(const OnednnPrimitive&) = delete;
  OnednnPrimitive(OnednnPrimitive&&) noexcept;
  OnednnPrimitive& operator=(OnednnPrimitive&&) noexcept;
  ~OnednnPrimitive();

  // Bytes that the primitive needs as DNNL_ARG_SCRATCHPAD.
  std::size_t scratchpad_bytes() const;
  // The kernel's name: "brg:avx512_core_bf16".
  const std::string& kernel() const;

  // Runs the primitive on arguments at these addresses, in the constructor's order. Throws
  // dnnl::error.
  void run(std::initializer_list<const void*> data);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalestudy::ops
