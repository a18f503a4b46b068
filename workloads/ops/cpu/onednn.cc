#include "workloads/ops/cpu/onednn.h"

#include <string>
#include <vector>

#include <dnnl.hpp>

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

std::map<std::string, std::string> choices_of(const Kernels& kernels) {
  std::string all;
  for (const auto& [operation, names] : kernels) {
    all += (all.empty() ? "" : "; ") + operation + ": ";
    for (const std::string& name : names) {
      all += (name == *names.begin() ? "" : ", ") + name;
    }
  }
  return all.empty() ? std::map<std::string, std::string>()
                     : std::map<std::string, std::string>{{"algorithms", all}};
}

int onednn_type(device::DataType type) {
  return static_cast<int>(type == device::DataType::kBfloat16 ? dnnl::memory::data_type::bf16
                                                              : dnnl::memory::data_type::f32);
}

struct OnednnPrimitive::State {
  dnnl::primitive primitive;
  std::size_t scratchpad_bytes = 0;
  std::string kernel;
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;  // of `memories`, in order
};

OnednnPrimitive::OnednnPrimitive(const dnnl::primitive_desc_base& description,
                                 std::initializer_list<int> arguments)
    : state_(std::make_unique<State>()) {
  state_->primitive = dnnl::primitive(description.get());
  state_->scratchpad_bytes = description.scratchpad_desc().get_size();
  state_->kernel = description.impl_info_str();
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

const std::string& OnednnPrimitive::kernel() const {
  return state_->kernel;
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

bool has_bf16_products() {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto needed = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (isa & needed) == needed;  // AMX includes it
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
