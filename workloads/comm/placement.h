// Where the ranks compute: refuses early, and with advice, what NCCL refuses late.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scalestudy::comm {

struct Placement {
  std::string node;    // as NCCL tells nodes apart: NCCL_HOSTID where it is set, else the host
  std::string device;  // PCI bus id of a GPU, "0000:1b:00.0"
};

// This rank's place. `host` is its machine.
Placement placement_of(const std::string& host, const std::string& device);

// Every rank's, in order of rank. Collective, between MPI_Init and MPI_Finalize; parts longer than
// 127 characters are cut.
std::vector<Placement> gather_placements(const Placement& own);

// Two ranks with one GPU of one node, which NCCL does not connect: which, and what to do about it.
// nullopt where every rank has a GPU to itself.
std::optional<std::string> find_shared_device(std::span<const Placement> placements);

// What to say where an all-reduce by nodes meets nodes of `least` to `most` ranks.
std::string unequal_nodes(std::size_t least, std::size_t most);

// The node of `rank`, by its first rank. Throws WorkloadError (usage) when nodes have different
// numbers of ranks.
int find_node(std::span<const Placement> placements, int rank);

}  // namespace scalestudy::comm
