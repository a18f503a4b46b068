#include "workloads/train/device/backend.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "workloads/cuda/backend.h"
#include "workloads/cuda/rendezvous.h"
#include "workloads/ops/cpu/cpu_library.h"
#include "workloads/ops/cpu/cpu_threads.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::train {
namespace {

// An environment variable, empty where it is not set.
std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread yet
  return value == nullptr ? std::string_view() : value;
}

// Sets a variable that libraries read once, at their first call, to the first of `values`, unless
// it has one of them. Throws WorkloadError (usage) where it has another.
void need_for_determinism(const char* name, std::initializer_list<const char*> values) {
  const std::string_view given = environment(name);
  if (given.empty()) {
    setenv(name, *values.begin(), 1);  // NOLINT(concurrency-mt-unsafe): no other thread yet
  } else if (std::find(values.begin(), values.end(), given) == values.end()) {
    flags::refuse("deterministic needs " + std::string(name) + "=" + *values.begin() +
                  ", but it is " + std::string(given) + "; leave one of the two out");
  }
}

// Before the CUDA module is loaded.
void prepare_libraries(const Options& options) {
  if (options.precision == Precision::kTf32 && environment("NVIDIA_TF32_OVERRIDE") == "0") {
    flags::refuse(
        "precision tf32 cannot be combined with NVIDIA_TF32_OVERRIDE=0, which computes in fp32; "
        "leave one "
        "of the two out");
  }
  if (!options.is_deterministic) {
    return;
  }
  // What cuDNN's LSTM and GRU need for equal bits. source: cuDNN 8 release notes; PyTorch's page on
  // the determinism of cuDNN RNN.
  need_for_determinism("CUBLAS_WORKSPACE_CONFIG", {":4096:2", ":16:8"});
  if (options.transport == Transport::kNccl) {
    // NVLink SHARP and the choice among algorithms and protocols change the order of sums from run
    // to run (NVIDIA/nccl issues 1497 and 2360).
    need_for_determinism("NCCL_ALGO", {"Ring"});
    need_for_determinism("NCCL_PROTO", {"Simple"});
    need_for_determinism("NCCL_NVLS_ENABLE", {"0"});
  }
}

}  // namespace

std::vector<int> spare_cores(const Options& options, const rank::World& world) {
  std::vector<int> own = ops::cores_beside(options.threads, world.cores());
  return own.empty() ? world.cores() : own;
}

void check_arithmetic(const Options& options) {
  if (options.backend == Backend::kCpu && options.precision == Precision::kBf16 &&
      !options.declared && !ops::has_bf16_products()) {
    throw rank::WorkloadError(
        protocol::kExitUnsupported,
        "precision bf16 needs cores that multiply it (AVX-512 BF16 or AMX), and oneDNN " +
            std::string(ops::onednn_version()) + " finds none here; use fp32");
  }
  if (const int allowed = ops::set_cpu_threads(options.threads); allowed < options.threads) {
    flags::refuse("threads is " + std::to_string(options.threads) +
                  ", but OMP_THREAD_LIMIT allows " + std::to_string(allowed) +
                  "; leave one of the two out");
  }
}

std::unique_ptr<device::Device> make_device(const Options& options, const rank::World& world) {
  if (options.backend == Backend::kCpu) {
    return device::make_cpu_device(
        [threads = options.threads](void* block, std::size_t bytes) {
          ops::clear_by_threads(threads, block, bytes);
        },
        options.transport == Transport::kShm ? std::make_unique<device::SharedMemory>() : nullptr);
  }
  prepare_libraries(options);
  cuda::Backend& cuda = cuda::load_backend();
  return cuda.make_device(cuda::own_device(cuda, world));
}

bool shares_device(const Options& options, const rank::World& world) {
  return options.backend == Backend::kCuda && cuda::has_shared_device(cuda::load_backend(), world);
}

std::optional<cuda::HeldMemory> held_memory(const Options& options, const rank::World& world) {
  if (options.backend == Backend::kCpu) {
    return std::nullopt;
  }
  cuda::Backend& cuda = cuda::load_backend();
  return cuda.held_memory(cuda::own_device(cuda, world));
}

template <typename T>
std::unique_ptr<ops::Ops<T>> make_ops(const Options& options,
                                      const rank::World& world,
                                      device::Arena& arena) {
  if (options.backend == Backend::kCpu) {
    return ops::make_cpu_ops<T>(options.threads);
  }
  cuda::Backend& cuda = cuda::load_backend();
  ops::CudaOptions modes{.has_tf32 = options.precision == Precision::kTf32,
                         .has_cudnn_tf32 = options.has_cudnn_tf32,
                         .is_deterministic = options.is_deterministic,
                         .has_timed_algorithms = options.has_timed_algorithms,
                         .workspace_bytes = static_cast<std::size_t>(options.workspace_bytes)};
  if (!options.pipeline.is_on()) {
    modes.from_root = [&world](std::span<std::byte> bytes) { world.send_from_root(bytes); };
  }
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

template decltype(make_ops<float>) make_ops<float>;
template decltype(make_ops<double>) make_ops<double>;
template decltype(make_ops<device::Bf16>) make_ops<device::Bf16>;
template decltype(make_ops<device::Half>) make_ops<device::Half>;

template <typename T>
std::unique_ptr<HostSide<T>> make_host_side(const Options& options) {
  if (!options.is_offloaded) {
    return nullptr;
  }
  if (options.backend == Backend::kCpu) {
    throw rank::WorkloadError(
        protocol::kExitUnsupported,
        "offload optimizer takes its state out of a GPU's memory, and that of "
        "backend cpu is the host's; use backend cuda");
  }
  auto side = std::make_unique<HostSide<T>>();
  side->memory = cuda::load_backend().make_pinned_memory();
  side->arena = std::make_unique<device::Arena>(*side->memory);
  side->ops = ops::make_cpu_ops<T>(options.threads);
  return side;
}

template std::unique_ptr<HostSide<float>> make_host_side(const Options&);
template std::unique_ptr<HostSide<double>> make_host_side(const Options&);
template std::unique_ptr<HostSide<device::Bf16>> make_host_side(const Options&);
template std::unique_ptr<HostSide<device::Half>> make_host_side(const Options&);

std::unique_ptr<Uploads> make_uploads(device::Device& device, std::size_t slots) {
  if (device.is_host_memory()) {
    return nullptr;
  }
  auto uploads = std::make_unique<Uploads>();
  uploads->memory = cuda::load_backend().make_pinned_memory();
  uploads->arena = std::make_unique<device::Arena>(*uploads->memory);
  uploads->copies = cuda::load_backend().make_upload(device, slots);
  return uploads;
}

Communication make_communication(const Options& options,
                                 const rank::World& world,
                                 device::Device& device,
                                 std::size_t slot_count,
                                 std::size_t largest_bytes) {
  switch (options.transport) {
    case Transport::kNoop:
      return {nullptr, nullptr, comm::make_noop_comm(device)};
    case Transport::kMpi: {
      const auto link = options.declared ? std::optional(options.declared->link) : std::nullopt;
      return {nullptr,
              nullptr,
              options.has_comm_thread
                  ? comm::make_mpi_thread_comm(
                        device, slot_count, spare_cores(options, world), options.node_ranks, link)
                  : comm::make_mpi_comm(device, slot_count, options.node_ranks, link)};
    }
    case Transport::kShm:
      return {nullptr,
              nullptr,
              options.has_comm_thread
                  ? comm::make_shm_thread_comm(device, slot_count, spare_cores(options, world))
                  : comm::make_shm_comm(device, slot_count)};
    case Transport::kMpiStaged: {
      Communication communication;
      communication.host_device = device::make_cpu_device();
      communication.host =
          comm::make_mpi_comm(*communication.host_device, slot_count, options.node_ranks);
      communication.gradients =
          cuda::load_backend().make_staged_comm(device, *communication.host, largest_bytes);
      return communication;
    }
    case Transport::kNccl:
      break;
  }
  cuda::Backend& cuda = cuda::load_backend();
  return {nullptr,
          nullptr,
          cuda.make_nccl_comm(
              device, cuda::make_nccl_options(cuda, world, options.node_ranks), slot_count)};
}

StageMessages make_messages(const Options& options,
                            const rank::World& world,
                            device::Device& device,
                            std::size_t slot_count,
                            std::size_t largest_bytes,
                            int distance) {
  if (options.backend == Backend::kCpu) {
    const auto link = options.declared ? std::optional(options.declared->link) : std::nullopt;
    return {nullptr, comm::make_mpi_messages(slot_count, link)};
  }
  cuda::Backend& cuda = cuda::load_backend();
  if (options.transport == Transport::kMpiStaged) {
    auto host = comm::make_mpi_messages(slot_count);
    auto own = cuda.make_staged_messages(device, *host, slot_count, largest_bytes);
    return {std::move(host), std::move(own)};
  }
  const comm::NcclOptions up = cuda::make_nccl_options(cuda, world);
  const comm::NcclOptions down = cuda::make_nccl_options(cuda, world);
  return {nullptr, cuda.make_nccl_messages(device, up, down, slot_count, distance)};
}

}  // namespace scalestudy::train
