// Communicators of NCCL and the thread that watches them; operations on GPUs are built on these.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "workloads/comm/nccl.h"
#include "workloads/device/cuda_device.h"

namespace scalestudy::comm {

// Throws WorkloadError (out of memory) or (failed) with NCCL's words unless `status` is
// ncclSuccess.
void check_nccl(ncclResult_t status, const char* call, const char* file, int line);

ncclDataType_t nccl_type(device::DataType type);

// Ranks that meet in one part of an all-reduce over nodes.
struct NcclGroup {
  ncclComm_t comm = nullptr;
  int rank = 0;
  int size = 1;
};

// Owns a communicator, those of nodes where there are any, and the thread that watches them: where
// NCCL reports an error, or `queue` does not get further for options.timeout_s, the thread aborts
// them, check() throws from then on, and if nobody asks within 5 s the process ends with that
// message on stderr. Getting further is to reach an operation that was noted, or the end of all
// that was queued at some time. One thread calls.
class NcclCommunicator {
 public:
  // Collective: every rank calls with the same id and size.
  //
  //   queue  of `device`, into which every operation of the communicator is put.
  NcclCommunicator(device::CudaDevice& device, cudaStream_t queue, const NcclOptions& options);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  ~NcclCommunicator();

  ncclComm_t get() const { return all_; }
  // The ranks of this rank's node, and those with its place in other nodes; both without a
  // communicator if there are no nodes.
  const NcclGroup& node() const { return node_; }
  const NcclGroup& across() const { return across_; }
  cudaStream_t queue() const { return queue_; }

  // Throws WorkloadError (failed) with what the watch has found, if it has.
  void check() const;
  // Does what check() does and locks the communicator for calls of NCCL, which does not let two
  // threads use one: while the result lives, the watching thread does not abort it, except to
  // interrupt a call that hangs for 5 s.
  [[nodiscard]] std::unique_lock<std::timed_mutex> enter();
  // Shows the watch where the operation just queued ends. Otherwise the watch would see no progress
  // before the end of the queue, from which a host may be steps ahead.
  void note_operation();

 private:
  class Watchdog;

  std::vector<ncclComm_t> comms() const;

  cudaStream_t queue_;
  ncclComm_t all_;
  NcclGroup node_;
  NcclGroup across_;
  std::unique_ptr<Watchdog> watchdog_;
};

}  // namespace scalestudy::comm

#define NCCL_CHECK(call) ::scalestudy::comm::check_nccl((call), #call, __FILE__, __LINE__)

namespace scalestudy::comm {

// Sends and receives that need one another must be one operation to NCCL, or each waits for a peer
// that is waiting too (user guide, "Point-to-point communication").
template <typename Calls>
void in_group(const Calls& calls) {
  NCCL_CHECK(ncclGroupStart());
  try {
    calls();
  } catch (...) {
    ncclGroupEnd();  // or the communicator could not be aborted; the first error is the one to tell
    throw;
  }
  NCCL_CHECK(ncclGroupEnd());
}

}  // namespace scalestudy::comm
