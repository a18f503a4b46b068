// Shared by the operations made of oneDNN primitives. Files that include this link oneDNN.
#pragma once

#include <initializer_list>
#include <memory>

#include "workloads/device/arena.h"

namespace dnnl {
struct engine;
struct primitive_attr;
struct primitive_desc_base;
}  // namespace dnnl

namespace scalestudy::ops {

const dnnl::engine& onednn_engine();
// Attributes of primitives whose scratch memory the caller gives.
const dnnl::primitive_attr& onednn_attributes();

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

  // Runs the primitive on arguments at these addresses, in the constructor's order. Throws
  // dnnl::error.
  void run(std::initializer_list<const void*> data);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalestudy::ops
