// Sums over GPUs, and messages between them, through pinned host memory and MPI.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/comm/comm.h"
#include "workloads/comm/messages.h"

namespace scalestudy::comm {

// Sums through host memory: run() copies to the host, sums and copies back. Other calls of Comm are
// defects (std::logic_error).
//
//   device          a CudaDevice. Copies use its communication queue; the host waits for them.
//   host            sums in host memory and outlives the result.
//   capacity_bytes  size of the largest buffer; as much pinned memory is taken now.
std::unique_ptr<Comm> make_staged_comm(device::Device& device,
                                       Comm& host,
                                       std::size_t capacity_bytes);

// Messages through host memory. Each slot takes capacity_bytes of pinned memory. send() waits until
// what it sends is computed, wait() until a message has arrived.
std::unique_ptr<Messages> make_staged_messages(device::Device& device,
                                               Messages& host,
                                               std::size_t slot_count,
                                               std::size_t capacity_bytes);

}  // namespace scalestudy::comm
