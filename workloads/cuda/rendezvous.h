// Which GPU each rank computes on, and how the ranks' GPUs meet in NCCL.
#pragma once

#include "workloads/comm/nccl.h"
#include "workloads/cuda/backend.h"
#include "workloads/rank/world.h"

namespace scalestudy::cuda {

// The ordinal of this rank's GPU: on a machine with several, its rank on that machine.
int own_device(const Backend& cuda, const rank::World& world);

// Whether two ranks compute on one GPU, whatever nodes NCCL sees: such a run shows that the program
// works, not how fast it is. Collective; the same on every rank.
bool has_shared_device(const Backend& cuda, const rank::World& world);

// The options for one communicator of all ranks; call again for each further one. Collective.
// - nodes: of its all-reduces, as for comm::make_mpi_comm().
// - throws: WorkloadError (unsupported) when two ranks share a GPU of one node, which NCCL refuses;
//   (usage) when nodes have different numbers of ranks.
comm::NcclOptions make_nccl_options(Backend& cuda,
                                    const rank::World& world,
                                    comm::NodeRanks nodes = std::nullopt);

}  // namespace scalestudy::cuda
