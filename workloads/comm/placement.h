// The places where ranks compute: finds early, and with advice, what NCCL would refuse late.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scalestudy::comm {

struct Placement {
  std::string node;    // as NCCL tells nodes apart: NCCL_HOSTID if it is set, else the host
  std::string device;  // PCI bus id of a GPU, "0000:1b:00.0"
};

// This rank's place. `host` is its machine.
Placement placement_of(const std::string& host, const std::string& device);

// The places of all ranks, in order of rank. Collective, between MPI_Init and MPI_Finalize; names
// longer than 127 characters are cut.
std::vector<Placement> gather_placements(const Placement& own);

// A message that names two ranks with one GPU of one node, which NCCL does not connect, and says
// what to do. nullopt if every rank has a GPU to itself.
std::optional<std::string> find_shared_device(std::span<const Placement> placements);

// The message for an all-reduce by nodes that meets nodes of `least` to `most` ranks.
std::string unequal_nodes(std::size_t least, std::size_t most);

// The first rank of the node of `rank`. Throws WorkloadError (usage) when nodes have different
// numbers of ranks.
int find_node(std::span<const Placement> placements, int rank);

}  // namespace scalestudy::comm
