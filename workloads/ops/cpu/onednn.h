// What the operations made of oneDNN primitives share. Files that include this link oneDNN.
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
// Scratch memory is given by the caller.
const dnnl::primitive_attr& onednn_attributes();

// A primitive with its memory objects, made once: a run allocates nothing of ours and takes the
// addresses of its arguments.
class OnednnPrimitive {
 public:
  // arguments  DNNL_ARG_ numbers, each one the primitive has.
  OnednnPrimitive(const dnnl::primitive_desc_base& description,
                  std::initializer_list<int> arguments);
  OnednnPrimitive(const OnednnPrimitive&) = delete;
  OnednnPrimitive& operator=(const OnednnPrimitive&) = delete;
  OnednnPrimitive(OnednnPrimitive&&) noexcept;
  OnednnPrimitive& operator=(OnednnPrimitive&&) noexcept;
  ~OnednnPrimitive();

  // Bytes behind the primitive's DNNL_ARG_SCRATCHPAD.
  std::size_t scratchpad_bytes() const;

  // data  where each argument lies, in the constructor's order. Throws dnnl::error.
  void run(std::initializer_list<const void*> data);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalestudy::ops
