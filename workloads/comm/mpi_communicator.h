// Operations of training over all ranks, as calls of MPI.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/comm/comm.h"

namespace scalestudy::comm {

// One thread calls at a time. Neither its communicators nor its types are ever freed: that is
// collective, and would wait for a rank that has failed.
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

  // As those of Comm. Not an all-reduce over nodes, whose parts follow each other
  // (std::logic_error).
  void start(std::size_t slot, const Exchange& exchange);
  bool test(std::size_t slot);
  void wait(std::size_t slot);

 private:
  class Calls;

  std::unique_ptr<Calls> calls_;
};

}  // namespace scalestudy::comm
