// Sums gradients over the ranks, and spreads parameters.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/comm/collective.h"
#include "workloads/comm/declared_link.h"
#include "workloads/device/data_type.h"
#include "workloads/device/device.h"
#include "workloads/device/interface.h"

namespace scalestudy::comm {

struct Buffer {
  void* data;
  std::size_t count;  // elements
  device::DataType type;
};

// One operation over all ranks. `whole` is as long as the parts of all ranks; the part may lie in
// it, at the place of the rank's own. An all-reduce has no part.
// - kAllReduce: `whole` becomes its sum over the ranks.
// - kReduceScatter: `part` becomes the rank's own part of the sum. Other elements of `whole` are
//   lost, except those that are zero on all ranks.
// - kAllGather: `whole` becomes the parts of all ranks, in order of rank.
struct Exchange {
  Operation operation{};
  Buffer whole{};
  Buffer part{};

  bool is_in_place() const {
    const auto* begin = static_cast<const std::byte*>(whole.data);
    return part.data >= begin && part.data < begin + whole.count * device::size_bytes(whole.type);
  }
};

// Marks that an operation sets on its own time line when it begins and when its result is there;
// absent if it is not timed.
using Timing = std::optional<device::Interval>;

// Main thread only. Every rank makes the same calls in the same order. A slot is one operation in
// flight; it is free again once test() has returned true or wait() has returned.
//
// Where the device queues work, an operation takes its place after the work queued before it, and
// both run() and wait() hold back work queued later, not the host.
class Comm : public device::Interface {
 public:
  // Returns when it is done.
  virtual void run(const Exchange& exchange, Timing timing) = 0;

  // Begins an operation. Its buffers must not be touched until the slot is free again.
  virtual void start(std::size_t slot, const Exchange& exchange, Timing timing) = 0;
  // Drives all operations in flight; true when the slot's operation is complete.
  virtual bool test(std::size_t slot) = 0;
  virtual void wait(std::size_t slot) = 0;
};

// Consecutive ranks that an all-reduce takes for a node: scattered over these, summed over nodes,
// gathered over these. 0: the ranks of each machine. Absent: one all-reduce of all.
using NodeRanks = std::optional<std::size_t>;

// Operations through MPI, on host memory, over all ranks; `device` is the CPU. Call between
// MPI_Init and MPI_Finalize. What was started advances only inside test() and wait(); run() sums in
// pieces of 8 MiB. With nodes only run() makes an all-reduce.
// - link: present: ranks sleep in place of computing, and wait asleep too, as they share cores.
// - throws: WorkloadError (usage) when nodes have different numbers of ranks.
std::unique_ptr<Comm> make_mpi_comm(device::Device& device,
                                    std::size_t slot_count,
                                    NodeRanks nodes = std::nullopt,
                                    const std::optional<DeclaredLink>& link = std::nullopt);

// Operations through MPI as blocking calls on a thread of its own: what was started advances by
// itself. No other thread may call MPI while an operation is in flight. Otherwise as
// make_mpi_comm().
// - cores: that the thread may run on; empty: those of the calling thread.
// - throws: WorkloadError (unsupported) when MPI was not initialised for calls from several
//   threads.
std::unique_ptr<Comm> make_mpi_thread_comm(device::Device& device,
                                           std::size_t slot_count,
                                           const std::vector<int>& cores,
                                           NodeRanks nodes = std::nullopt,
                                           const std::optional<DeclaredLink>& link = std::nullopt);

// Operations of the ranks of one machine in memory that they share, as ShmRanks does them: without
// MPI, in place, and inside calls as with make_mpi_comm(), or on a thread as with
// make_mpi_thread_comm(). All buffers are memory of `device`, whose memory is shared.
// - throws: WorkloadError as ShmRanks.
std::unique_ptr<Comm> make_shm_comm(device::Device& device, std::size_t slot_count);
std::unique_ptr<Comm> make_shm_thread_comm(device::Device& device,
                                           std::size_t slot_count,
                                           const std::vector<int>& cores);

// Moves nothing: the control that shows what a step costs without communication.
std::unique_ptr<Comm> make_noop_comm(device::Device& device);

}  // namespace scalestudy::comm
