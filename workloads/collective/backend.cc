#include "workloads/collective/backend.h"

#include <algorithm>

#include "workloads/collective/triad.h"
#include "workloads/cuda/backend.h"
#include "workloads/cuda/rendezvous.h"

namespace scalestudy::collective {
namespace {

cuda::DeviceFacts own_facts(const rank::World& world) {
  const cuda::Backend& cuda = cuda::load_backend();
  return cuda.facts(cuda::own_device(cuda, world));
}

}  // namespace

std::unique_ptr<device::Device> make_device(const Options& options, const rank::World& world) {
  if (!options.is_cuda) {
    return device::make_cpu_device(
        {}, options.is_shared ? std::make_unique<device::SharedMemory>() : nullptr);
  }
  cuda::Backend& cuda = cuda::load_backend();
  return cuda.make_device(cuda::own_device(cuda, world));
}

std::unique_ptr<comm::Collective> make_operation(const Options& options,
                                                 const rank::World& world,
                                                 device::Device& device,
                                                 std::span<const float> send,
                                                 std::span<float> receive) {
  const int peer = peer_of(options, world.rank(), world.size());
  if (!options.is_cuda) {
    return options.is_shared ? comm::make_shm_collective(
                                   *device.shared_memory(), options.operation, send, receive)
                             : comm::make_mpi_collective(options.operation, send, receive, peer);
  }
  cuda::Backend& cuda = cuda::load_backend();
  comm::NcclOptions nccl = cuda::make_nccl_options(cuda, world);
  nccl.peer = peer;
  return cuda.make_nccl_collective(device, nccl, options.operation, send, receive);
}

std::unique_ptr<device::Triad> make_triad(const Options& options, device::Device& device) {
  if (!options.has_triad) {
    return nullptr;
  }
  return options.is_cuda ? cuda::load_backend().make_triad(device) : std::make_unique<HostTriad>();
}

std::size_t copy_bytes(const Options& options, const rank::World& world) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  return options.is_cuda ? std::min(512 * mebibyte, own_facts(world).memory_bytes / 64)
                         : 64 * mebibyte;
}

bool is_oversubscribed(const Options& options, const rank::World& world) {
  const bool is_sharing = options.is_cuda && cuda::has_shared_device(cuda::load_backend(), world);
  return world.is_oversubscribed({options.has_triad ? 2 : 1, world.cores()}) || is_sharing;
}

std::map<std::string, double> device_facts(const Options& options, const rank::World& world) {
  if (!options.is_cuda) {
    return {};
  }
  const cuda::DeviceFacts device = own_facts(world);
  std::map<std::string, double> facts = {
      {"device_memory_bytes", static_cast<double>(device.memory_bytes)},
      {"device_multiprocessors", device.multiprocessors},
      {"device_compute_capability", device.compute_major + device.compute_minor / 10.0}};
  if (device.memory_bytes_per_s) {
    facts["device_memory_bytes_per_s"] = *device.memory_bytes_per_s;
  }
  const cuda::Backend& cuda = cuda::load_backend();
  const int used = std::min(world.local_size(), cuda.device_count());
  for (int from = 0; from < used; ++from) {
    for (int to = 0; to < used; ++to) {
      if (from != to) {
        facts["peer_access_" + std::to_string(from) + '_' + std::to_string(to)] =
            cuda.can_access_peer(from, to) ? 1.0 : 0.0;
      }
    }
  }
  return facts;
}

std::map<std::string, std::string> library_versions(const Options& options) {
  std::map<std::string, std::string> versions = {{"mpi", rank::mpi_version()}};
  if (options.is_cuda) {
    versions.merge(cuda::load_backend().versions());
  }
  return versions;
}

}  // namespace scalestudy::collective
