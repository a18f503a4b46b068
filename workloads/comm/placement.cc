#include "workloads/comm/placement.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include <mpi.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::comm {
namespace {

constexpr std::size_t kPartSize = 128;  // with the zero behind it

// node, then device.
using Packed = std::array<char, 2 * kPartSize>;

}  // namespace

// NCCL's own rule: src/misc/utils.cc, getHostHash, of 2.28.9.
Placement placement_of(const std::string& host, const std::string& device) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread changes it
  const char* const id = std::getenv("NCCL_HOSTID");
  return {id == nullptr || *id == '\0' ? host : id, device};
}

std::vector<Placement> gather_placements(const Placement& own) {
  Packed packed{};
  own.node.copy(packed.data(), kPartSize - 1);
  own.device.copy(packed.data() + kPartSize, kPartSize - 1);
  int size = 0;
  MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  std::vector<Packed> all(static_cast<std::size_t>(size));
  constexpr int count = static_cast<int>(sizeof(Packed));
  MPI_CHECK(
      MPI_Allgather(packed.data(), count, MPI_CHAR, all.data(), count, MPI_CHAR, MPI_COMM_WORLD));
  std::vector<Placement> placements;
  placements.reserve(all.size());
  for (const Packed& rank : all) {
    placements.push_back({rank.data(), rank.data() + kPartSize});
  }
  return placements;
}

std::optional<std::string> find_shared_device(std::span<const Placement> placements) {
  for (std::size_t rank = 1; rank < placements.size(); ++rank) {
    const Placement& place = placements[rank];
    const auto* const end = placements.data() + rank;
    const auto* const first = std::find_if(placements.data(), end, [&](const Placement& other) {
      return other.node == place.node && other.device == place.device;
    });
    if (first != end) {
      return "ranks " + std::to_string(first - placements.data()) + " and " + std::to_string(rank) +
             " share GPU " + place.device + " of " + place.node +
             ", and NCCL takes one rank a GPU. Use no more ranks a machine than it has GPUs "
             "(CUDA_VISIBLE_DEVICES may hide some), or train with comm mpi_staged. A NCCL_HOSTID "
             "of its own "
             "for every rank makes each of them a node: to see that it works, not how fast";
    }
  }
  return std::nullopt;
}

std::string unequal_nodes(std::size_t least, std::size_t most) {
  return "allreduce hierarchical needs as many ranks on every node, but nodes have from " +
         std::to_string(least) + " to " + std::to_string(most) + "; use flat";
}

int find_node(std::span<const Placement> placements, int rank) {
  std::map<std::string, std::vector<int>> ranks;  // of each node
  for (std::size_t i = 0; i < placements.size(); ++i) {
    ranks[placements[i].node].push_back(static_cast<int>(i));
  }
  std::size_t least = placements.size();
  std::size_t most = 0;
  for (const auto& [node, of_node] : ranks) {
    least = std::min(least, of_node.size());
    most = std::max(most, of_node.size());
  }
  if (least != most) {
    throw rank::WorkloadError(protocol::kExitUsage, unequal_nodes(least, most));
  }
  return ranks.at(placements[static_cast<std::size_t>(rank)].node).front();
}

}  // namespace scalestudy::comm
