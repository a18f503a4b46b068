// One collective operation over all ranks, for measuring it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace scalestudy::comm {

enum class Operation {
  kAllReduce,      // every rank receives the sum over ranks
  kAllGather,      // every rank receives all parts, in order of rank
  kReduceScatter,  // every rank receives its part of the sum
  kBroadcast,      // every rank but 0 receives what rank 0 sends
  kSendRecv,       // every rank sends to the next and receives from the previous one, in a ring
  kAllToAll,       // every rank receives part `rank` of what each rank sends, in order of rank
};

// Main thread only. Every rank makes the same calls in the same order.
class Collective {
 public:
  Collective() = default;
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  virtual ~Collective() = default;

  // Takes its place in the queue of the device that holds the buffers; on the CPU it is done when
  // the call returns. What is sent stays as it is.
  virtual void run() = 0;
};

// Through MPI, on host memory. Call between MPI_Init and MPI_Finalize.
//
//   send, receive  whole buffers of this rank, out of place; their sizes are those that
//                  collective::layout_of gives. They outlive the result.
// Throws WorkloadError (usage) when a part holds more elements than one MPI call takes.
std::unique_ptr<Collective> make_mpi_collective(Operation operation,
                                                std::span<const float> send,
                                                std::span<float> receive);

}  // namespace scalestudy::comm
