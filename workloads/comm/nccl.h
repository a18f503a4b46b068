// Sums and other operations over GPUs through NCCL.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "workloads/comm/collective.h"
#include "workloads/comm/comm.h"
#include "workloads/comm/messages.h"

namespace scalestudy::comm {

// The id that ncclGetUniqueId fills: made on one rank, sent to all.
using NcclId = std::array<std::byte, 128>;

struct NcclOptions {
  int rank = 0;
  int size = 1;
  NcclId id{};
  double timeout_s = 300.0;  // operations in flight for longer end the run
  int peer = kNoPeer;        // of a Collective, as for make_mpi_collective()
  // This rank's node, for all-reduces that are scattered over the ranks of a node, summed over
  // nodes and gathered over them. Absent on all ranks or on none; each node has as many ranks.
  std::optional<int> node{};
};

NcclId make_nccl_id();

// Operations run on the communication queue of `device`, a CudaDevice, in the order they are
// started. A thread of its own watches them: where NCCL reports an error, or nothing moves for
// timeout_s, it aborts the communicator, the next call throws WorkloadError (failed), and if none
// comes within 5 s the process ends with that message on stderr. Collective: every rank calls with
// the same id and size. Throws WorkloadError with NCCL's words.
std::unique_ptr<Comm> make_nccl_comm(device::Device& device,
                                     const NcclOptions& options,
                                     std::size_t slot_count);

// Messages between neighbours in rank, of buffers in the memory of `device`. Each direction, to
// higher ranks and to lower ones, has a communicator (made from `up` and `down`) and a queue of its
// own, so that a wait in one direction holds up nothing in the other. A receive is queued when it
// is waited for, after what was sent before; wait() holds back work queued later on the device, not
// the host. Connections between neighbours are made here, once: inside a step that could wait for a
// kernel that waits for a neighbour, which waits for this rank.
// - distance: between ranks that send to each other.
std::unique_ptr<Messages> make_nccl_messages(device::Device& device,
                                             const NcclOptions& up,
                                             const NcclOptions& down,
                                             std::size_t slot_count,
                                             int distance);

// One operation on the queue that the marks of `device`, a CudaDevice, are in; a thread watches it
// as in make_nccl_comm().
// - send, receive: in the memory of `device`; otherwise as for make_mpi_collective().
std::unique_ptr<Collective> make_nccl_collective(device::Device& device,
                                                 const NcclOptions& options,
                                                 Operation operation,
                                                 std::span<const float> send,
                                                 std::span<float> receive);

}  // namespace scalestudy::comm
