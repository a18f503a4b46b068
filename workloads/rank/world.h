// All ranks of the run: who this one is, and the few exchanges outside timed steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/rank/affinity.h"

namespace scalestudy::rank {

// Valid between MPI_Init and MPI_Finalize; main thread only. Every member function that talks to
// other ranks must be called by all of them, in the same order.
class World {
 public:
  World();

  int rank() const { return rank_; }
  int size() const { return size_; }
  int local_size() const { return local_size_; }  // ranks on this machine
  int local_rank() const { return local_rank_; }  // this one among them
  int node_count() const { return node_count_; }  // machines that ranks run on
  const std::string& host() const { return host_; }
  // The cores that this process may run on, ascending: those of the main thread at its start.
  const std::vector<int>& cores() const { return cores_; }

  void barrier() const;

  // Whether the ranks of some machine are crowded (affinity.h). Such a run shows that the program
  // works, not how fast it is.
  // - own: the core use of this rank.
  bool is_oversubscribed(const CoreUse& own) const;

  // Whether this is the first rank of its machine for which `is_asked` holds.
  bool is_first_of_machine(bool is_asked) const;

  // How many cores the rank with the fewest of them may run on.
  int affinity_cores() const;

  // Smallest and largest of every rank's value.
  std::pair<std::uint64_t, std::uint64_t> min_max(std::uint64_t value) const;

  // Each value becomes the smallest of every rank's.
  void minimum(std::span<double> values) const;

  // Overwrites `bytes` with those of rank 0 on every rank.
  void send_from_root(std::span<std::byte> bytes) const;

  // Rank `from` sends `values` to rank 0, which receives as many into its own.
  void send_to_root(std::span<double> values, int from) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  int local_size_ = 1;
  int local_rank_ = 0;
  int node_count_ = 1;
  std::string host_;
  std::vector<int> cores_;
};

// "Open MPI v4.1.4"
std::string mpi_version();

}  // namespace scalestudy::rank
