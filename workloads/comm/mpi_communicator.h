// Operations of training over all ranks, through MPI.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/comm/comm.h"

namespace scalestudy::comm {

// One thread calls at a time. Its communicators and types are never freed: to free them is
// collective and would wait for a rank that has failed.
class MpiCommunicator {
 public:
  // Collective: every rank calls with the same nodes and link. Throws as make_mpi_comm().
  MpiCommunicator(NodeRanks nodes,
                  std::size_t slot_count,
                  const std::optional<DeclaredLink>& link = std::nullopt);
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator();

  void run(const Exchange& exchange);

  // start(), test() and wait() do what those of Comm do. start() throws std::logic_error for an
  // all-reduce over nodes, whose parts follow each other.
  void start(std::size_t slot, const Exchange& exchange);
  bool test(std::size_t slot);
  void wait(std::size_t slot);

 private:
  class Calls;

  std::unique_ptr<Calls> calls_;
};

}  // namespace scalestudy::comm
