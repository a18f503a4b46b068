// Sums over GPUs through pinned host memory and MPI.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/comm/comm.h"

namespace scalestudy::comm {

// device  a CudaDevice. Copies use its communication queue; the host waits for them.
// host    sums in host memory, has as many slots, and outlives the result.
// Pinned memory for a slot is taken at its first operation. What was started advances only inside
// test() and wait().
std::unique_ptr<Comm> make_staged_comm(device::Device& device, Comm& host, std::size_t slot_count);

}  // namespace scalestudy::comm
