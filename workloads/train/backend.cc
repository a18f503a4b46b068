#include "workloads/train/backend.h"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "workloads/cuda/backend.h"
#include "workloads/cuda/rendezvous.h"

namespace scalestudy::train {
namespace {

// NVLink SHARP and the choice among algorithms and protocols change the order of sums from run to
// run (NVIDIA/nccl issues 1497 and 2360). NCCL reads these once, at its first call.
void make_nccl_deterministic() {
  constexpr auto settings = std::to_array<std::pair<const char*, std::string_view>>(
      {{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", "Simple"}, {"NCCL_NVLS_ENABLE", "0"}});
  for (const auto& [name, value] : settings) {
    const char* given = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread yet
    if (given != nullptr && given != value) {
      flags::refuse("deterministic needs " + std::string(name) + "=" + std::string(value) +
                    ", but it is " + given + "; leave one of the two out");
    }
    setenv(name, value.data(), 1);  // NOLINT(concurrency-mt-unsafe): no other thread yet
  }
}

}  // namespace

std::unique_ptr<device::Device> make_device(const Options& options, const rank::World& world) {
  if (options.backend == Backend::kCpu) {
    return device::make_cpu_device();
  }
  cuda::Backend& cuda = cuda::load_backend();
  return cuda.make_device(cuda::own_device(cuda, world));
}

bool shares_device(const Options& options, const rank::World& world) {
  return options.backend == Backend::kCuda && cuda::has_shared_device(cuda::load_backend(), world);
}

template <typename T>
std::unique_ptr<ops::Ops<T>> make_ops(const Options& options, device::Arena& arena) {
  if (options.backend == Backend::kCpu) {
    return ops::make_cpu_ops<T>(options.threads);
  }
  cuda::Backend& cuda = cuda::load_backend();
  const ops::CudaOptions modes{.has_tf32 = options.precision == Precision::kTf32,
                               .is_deterministic = options.is_deterministic};
  if constexpr (std::is_same_v<T, float>) {
    return cuda.make_float_ops(arena, modes);
  } else if constexpr (std::is_same_v<T, device::Bf16>) {
    return cuda.make_bf16_ops(arena, modes);
  } else if constexpr (std::is_same_v<T, device::Half>) {
    return cuda.make_half_ops(arena, modes);
  } else {
    throw std::logic_error("fp64 is not computed on a GPU");
  }
}

template std::unique_ptr<ops::Ops<float>> make_ops(const Options&, device::Arena&);
template std::unique_ptr<ops::Ops<double>> make_ops(const Options&, device::Arena&);
template std::unique_ptr<ops::Ops<device::Bf16>> make_ops(const Options&, device::Arena&);
template std::unique_ptr<ops::Ops<device::Half>> make_ops(const Options&, device::Arena&);

Communication make_communication(const Options& options,
                                 const rank::World& world,
                                 device::Device& device,
                                 std::size_t slot_count) {
  switch (options.transport) {
    case Transport::kNoop:
      return {nullptr, comm::make_noop_comm(device)};
    case Transport::kMpi:
      return {nullptr,
              options.has_comm_thread ? comm::make_mpi_thread_comm(device, slot_count)
                                      : comm::make_mpi_comm(device, slot_count)};
    case Transport::kMpiStaged: {
      std::unique_ptr<comm::Comm> host = comm::make_mpi_comm(device, slot_count);
      std::unique_ptr<comm::Comm> staged =
          cuda::load_backend().make_staged_comm(device, *host, slot_count);
      return {std::move(host), std::move(staged)};
    }
    case Transport::kNccl:
      break;
  }
  if (options.is_deterministic) {
    make_nccl_deterministic();
  }
  cuda::Backend& cuda = cuda::load_backend();
  return {nullptr, cuda.make_nccl_comm(device, cuda::make_nccl_options(cuda, world), slot_count)};
}

}  // namespace scalestudy::train
