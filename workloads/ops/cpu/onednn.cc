#include "workloads/ops/cpu/onednn.h"

#include <string>
#include <vector>

#include <dnnl.hpp>

#include "workloads/ops/ops.h"

namespace scalestudy::ops {
namespace {

const dnnl::stream& stream() {
  static const dnnl::stream kInOrder(onednn_engine());
  return kInOrder;
}

}  // namespace

const dnnl::engine& onednn_engine() {
  static const dnnl::engine kCpu(dnnl::engine::kind::cpu, 0);
  return kCpu;
}

const dnnl::primitive_attr& onednn_attributes() {
  static const dnnl::primitive_attr kAttributes = [] {
    dnnl::primitive_attr user_scratchpad;
    user_scratchpad.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return user_scratchpad;
  }();
  return kAttributes;
}

struct OnednnPrimitive::State {
  dnnl::primitive primitive;
  std::size_t scratchpad_bytes = 0;
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;  // of `memories`, in order
};

OnednnPrimitive::OnednnPrimitive(const dnnl::primitive_desc_base& description,
                                 std::initializer_list<int> arguments)
    : state_(std::make_unique<State>()) {
  state_->primitive = dnnl::primitive(description.get());
  state_->scratchpad_bytes = description.scratchpad_desc().get_size();
  for (const int argument : arguments) {
    const dnnl::memory& memory = state_->memories.emplace_back(
        description.query_md(dnnl::query::exec_arg_md, argument), onednn_engine(), nullptr);
    state_->arguments.push_back({argument, memory.get()});
  }
}

OnednnPrimitive::OnednnPrimitive(OnednnPrimitive&&) noexcept = default;
OnednnPrimitive& OnednnPrimitive::operator=(OnednnPrimitive&&) noexcept = default;
OnednnPrimitive::~OnednnPrimitive() = default;

std::size_t OnednnPrimitive::scratchpad_bytes() const {
  return state_->scratchpad_bytes;
}

void OnednnPrimitive::run(std::initializer_list<const void*> data) {
  auto memory = state_->memories.begin();
  for (const void* address : data) {
    // oneDNN's handles are not const; inputs are only read.
    memory->set_data_handle(const_cast<void*>(address));
    ++memory;
  }
  // The C call: primitive::execute() of dnnl.hpp builds a map and a vector on the heap every time.
  const dnnl_status_t status = dnnl_primitive_execute(state_->primitive.get(),
                                                      stream().get(),
                                                      static_cast<int>(state_->arguments.size()),
                                                      state_->arguments.data());
  dnnl::error::wrap_c_api(status, "oneDNN could not run a primitive");
}

const char* onednn_version() {
  static const std::string kVersion = [] {
    const dnnl_version_t* v = dnnl_version();
    return std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' +
           std::to_string(v->patch);
  }();
  return kVersion.c_str();
}

}  // namespace scalestudy::ops
