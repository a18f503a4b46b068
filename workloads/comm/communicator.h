// What carries out the operations of a Comm on host memory.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/comm/comm.h"
#include "workloads/device/interface.h"

namespace scalestudy::comm {

// One thread calls at a time; start(), test() and wait() do what those of Comm do.
class Communicator : public device::Interface {
 public:
  virtual void run(const Exchange& exchange) = 0;
  virtual void start(std::size_t slot, const Exchange& exchange) = 0;
  virtual bool test(std::size_t slot) = 0;
  virtual void wait(std::size_t slot) = 0;
};

// Collective: every rank calls with the same nodes and link. Its start() throws std::logic_error
// for an all-reduce over nodes, whose parts follow each other. Throws as make_mpi_comm().
std::unique_ptr<Communicator> make_mpi_communicator(NodeRanks nodes,
                                                    std::size_t slot_count,
                                                    const std::optional<DeclaredLink>& link);

// Collective: every rank calls. Throws as make_shm_comm().
std::unique_ptr<Communicator> make_shm_communicator(device::SharedMemory& memory,
                                                    std::size_t slot_count);

}  // namespace scalestudy::comm
