// Which GPU each rank computes on, and how the ranks' GPUs meet in NCCL.
#pragma once

#include "workloads/comm/nccl.h"
#include "workloads/cuda/backend.h"
#include "workloads/rank/world.h"

namespace scalestudy::cuda {

// This rank's GPU: on a machine with several the one of its rank on that machine.
int own_device(const Backend& cuda, const rank::World& world);

// Whether two ranks compute on one GPU, whatever NCCL takes for their nodes: such a run shows that
// the program works, not how fast it is. Collective; the same on every rank.
bool has_shared_device(const Backend& cuda, const rank::World& world);

// What a communicator of all ranks is made from; one for each communicator. Collective.
//   nodes   of its all-reduces, as for comm::make_mpi_comm()
//   throws  WorkloadError (unsupported) where two ranks share a GPU of one node, which NCCL
//   refuses, (usage) where nodes have different numbers of ranks.
comm::NcclOptions make_nccl_options(Backend& cuda,
                                    const rank::World& world,
                                    comm::NodeRanks nodes = std::nullopt);

}  // namespace scalestudy::cuda
