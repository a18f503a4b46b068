#include "workloads/cuda/rendezvous.h"

#include "workloads/comm/placement.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::cuda {
namespace {

std::string own_bus_id(const Backend& cuda, const rank::World& world) {
  return cuda.facts(own_device(cuda, world)).pci_bus_id;
}

}  // namespace

int own_device(const Backend& cuda, const rank::World& world) {
  return world.local_rank() % cuda.device_count();
}

bool has_shared_device(const Backend& cuda, const rank::World& world) {
  const comm::Placement own{world.host(), own_bus_id(cuda, world)};
  return comm::find_shared_device(comm::gather_placements(own)).has_value();
}

comm::NcclOptions make_nccl_options(Backend& cuda,
                                    const rank::World& world,
                                    comm::NodeRanks nodes) {
  if (const auto advice = comm::find_shared_device(
          comm::gather_placements(comm::placement_of(world.host(), own_bus_id(cuda, world))))) {
    throw rank::WorkloadError(protocol::kExitUnsupported, *advice);
  }
  comm::NcclOptions options{.rank = world.rank(), .size = world.size()};
  if (world.rank() == 0) {
    options.id = cuda.make_nccl_id();
  }
  world.send_from_root(options.id);
  if (nodes) {
    options.node = *nodes > 0
                       ? world.rank() / static_cast<int>(*nodes)
                       : comm::find_node(comm::gather_placements({world.host(), ""}), world.rank());
  }
  return options;
}

}  // namespace scalestudy::cuda
