// One collective operation over all ranks, to be measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "workloads/device/interface.h"
#include "workloads/device/shared_memory.h"
#include "workloads/names/operations.h"

namespace scalestudy::comm {

using names::Operation;

// The count that a call of MPI or NCCL takes: elements of the smaller of a rank's buffers, the part
// that each rank adds or gets; for all-to-all elements that go to one peer.
inline std::size_t part_count(Operation operation,
                              std::size_t send_count,
                              std::size_t receive_count,
                              std::size_t ranks) {
  return std::min(send_count, receive_count) / (operation == Operation::kAllToAll ? ranks : 1);
}

// The peer of a rank that is in no pair of a ping-pong.
inline constexpr int kNoPeer = -1;

// Main thread only. Every rank makes the same calls in the same order.
class Collective : public device::Interface {
 public:
  // Queues the operation on the device that holds the buffers; on the CPU it is done when the call
  // returns. The send buffer stays unchanged.
  virtual void run() = 0;

  // Throws WorkloadError (failed) when an operation went wrong after it was queued. Call it once
  // the queue is done: a queue that was cut short looks like a finished one.
  virtual void check() const = 0;
};

// An operation through MPI, on host memory. Call between MPI_Init and MPI_Finalize.
// - send, receive: whole buffers of this rank, out of place, of the sizes that
//   collective::layout_of gives. They outlive the result.
// - peer: the other rank of this one's pair in a ping-pong; else kNoPeer.
// - throws: WorkloadError (usage) when a part holds more elements than one MPI call takes.
std::unique_ptr<Collective> make_mpi_collective(Operation operation,
                                                std::span<const float> send,
                                                std::span<float> receive,
                                                int peer = kNoPeer);

// The same in memory that the ranks of one machine share, as ShmRanks does it; not a ping-pong.
// - send, receive: in `memory`, which outlives the result.
// - throws: WorkloadError as ShmRanks.
std::unique_ptr<Collective> make_shm_collective(device::SharedMemory& memory,
                                                Operation operation,
                                                std::span<const float> send,
                                                std::span<float> receive);

}  // namespace scalestudy::comm
