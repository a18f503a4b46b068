#include "workloads/comm/nccl.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nccl.h>

#include "workloads/device/cuda_check.h"
#include "workloads/device/cuda_device.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::comm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void check_nccl(ncclResult_t status, const char* call, const char* file, int line) {
  if (status != ncclSuccess) {
    device::throw_cuda(call,
                       file,
                       line,
                       std::string(ncclGetErrorString(status)) + ". " + ncclGetLastError(nullptr));
  }
}

#define NCCL_CHECK(call) check_nccl((call), #call, __FILE__, __LINE__)

ncclDataType_t nccl_type(device::DataType type) {
  switch (type) {
    case device::DataType::kFloat64:
      return ncclFloat64;
    case device::DataType::kFloat32:
      return ncclFloat32;
    case device::DataType::kBfloat16:
      return ncclBfloat16;
    case device::DataType::kFloat16:
      break;
  }
  return ncclFloat16;
}

// Watches one communicator and its queue from a thread of its own.
class Watchdog {
 public:
  Watchdog(ncclComm_t comm, device::CudaDevice& device, double timeout_s)
      : comm_(comm),
        device_(device),
        timeout_(
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s))),
        thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  bool has_aborted() const { return has_aborted_.load(); }
  // Throws what it found.
  void check() const {
    if (has_aborted()) {
      throw rank::WorkloadError(protocol::kExitFailed, message_);
    }
  }
  void stop() {
    thread_.request_stop();
    thread_.join();
  }

 private:
  // An event behind all that is queued shows whether the queue moves, and shares nothing with the
  // thread that queues.
  void watch(const std::stop_token& stop) {
    try {
      CUDA_CHECK(cudaSetDevice(device_.ordinal()));
      const device::CudaEvent beat;
      do {
        CUDA_CHECK(cudaEventRecord(beat.get(), device_.communication()));
      } while (is_reached(beat, stop) && sleep(stop, milliseconds(1000)));
    } catch (const std::exception& error) {
      // The thread that queues meets the same error and reports it.
      std::fprintf(stderr, "scalestudy: the NCCL watchdog stopped: %s\n", error.what());
    }
  }

  // False when there is nothing left to watch.
  bool is_reached(const device::CudaEvent& beat, const std::stop_token& stop) {
    const Clock::time_point deadline = Clock::now() + timeout_;
    do {
      ncclResult_t error = ncclSuccess;
      NCCL_CHECK(ncclCommGetAsyncError(comm_, &error));
      if (error != ncclSuccess && error != ncclInProgress) {
        abort(stop,
              std::string("NCCL failed: ") + ncclGetErrorString(error) + ". " +
                  ncclGetLastError(comm_));
        return false;
      }
      if (cudaEventQuery(beat.get()) != cudaErrorNotReady) {
        return true;
      }
      if (Clock::now() > deadline) {
        abort(stop, "NCCL operations did not finish in time: another rank may be gone or late");
        return false;
      }
    } while (sleep(stop, milliseconds(100)));
    return false;
  }

  void abort(const std::stop_token& stop, const std::string& message) {
    message_ = message;
    has_aborted_.store(true);
    ncclCommAbort(comm_);  // ends the kernels that wait, so that the other thread can go on
    if (sleep(stop, milliseconds(5000))) {
      std::fprintf(stderr, "scalestudy: %s\n", message_.c_str());
      std::_Exit(protocol::kExitFailed);
    }
  }

  // False when it was cut short because the communicator ends.
  bool sleep(const std::stop_token& stop, milliseconds time) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
  }

  ncclComm_t comm_;
  device::CudaDevice& device_;
  Clock::duration timeout_;
  std::string message_;  // written before has_aborted_, read after it
  std::atomic<bool> has_aborted_ = false;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::jthread thread_;  // last: it uses the others
};

ncclComm_t connect(const NcclOptions& options) {
  ncclUniqueId id{};
  static_assert(sizeof(id) == sizeof(NcclId));
  std::memcpy(&id, options.id.data(), sizeof(id));
  ncclComm_t comm = nullptr;
  NCCL_CHECK(ncclCommInitRank(&comm, options.size, id, options.rank));
  return comm;
}

class NcclComm final : public Comm {
 public:
  NcclComm(device::CudaDevice& device, const NcclOptions& options)
      : device_(device),
        comm_(connect(options)),
        slots_(options.slot_count + 1),
        watchdog_(comm_, device, options.timeout_s) {}

  NcclComm(const NcclComm&) = delete;
  NcclComm& operator=(const NcclComm&) = delete;
  ~NcclComm() override {
    watchdog_.stop();
    if (watchdog_.has_aborted()) {
      return;
    }
    // Destroying waits for the other ranks, which may never come once this one has failed.
    const ncclResult_t status =
        std::uncaught_exceptions() > 0 ? ncclCommAbort(comm_) : ncclCommDestroy(comm_);
    if (status != ncclSuccess) {
      std::fprintf(stderr, "scalestudy: ending NCCL: %s\n", ncclGetErrorString(status));
    }
  }

  void allreduce_sum(const Buffer& buffer, Timing timing) override {
    start_allreduce_sum(slots_.size() - 1, buffer, timing);
    wait(slots_.size() - 1);
  }

  void start_allreduce_sum(std::size_t slot, const Buffer& buffer, Timing timing) override {
    watchdog_.check();
    cudaStream_t stream = device_.communication();
    const Slot& events = slots_.at(slot);
    CUDA_CHECK(cudaEventRecord(events.ready.get(), device_.compute()));
    CUDA_CHECK(cudaStreamWaitEvent(stream, events.ready.get(), 0));
    if (timing) {
      CUDA_CHECK(cudaEventRecord(device_.event(timing->begin), stream));
    }
    NCCL_CHECK(ncclAllReduce(
        buffer.data, buffer.data, buffer.count, nccl_type(buffer.type), ncclSum, comm_, stream));
    if (timing) {
      CUDA_CHECK(cudaEventRecord(device_.event(timing->end), stream));
    }
    CUDA_CHECK(cudaEventRecord(events.done.get(), stream));
  }

  bool test(std::size_t slot) override {
    watchdog_.check();
    const cudaError_t status = cudaEventQuery(slots_.at(slot).done.get());
    if (status == cudaErrorNotReady) {
      return false;
    }
    device::check_cuda(status, "cudaEventQuery", __FILE__, __LINE__);
    return true;
  }

  void wait(std::size_t slot) override {
    watchdog_.check();
    CUDA_CHECK(cudaStreamWaitEvent(device_.compute(), slots_.at(slot).done.get(), 0));
  }

 private:
  struct Slot {
    device::CudaEvent ready;  // what the operation sums has been computed
    device::CudaEvent done;
  };

  device::CudaDevice& device_;
  ncclComm_t comm_;
  std::vector<Slot> slots_;  // the last one is for operations that are waited for at once
  Watchdog watchdog_;
};

}  // namespace

NcclId make_nccl_id() {
  ncclUniqueId id{};
  NCCL_CHECK(ncclGetUniqueId(&id));
  NcclId bytes{};
  std::memcpy(bytes.data(), &id, sizeof(id));
  return bytes;
}

std::unique_ptr<Comm> make_nccl_comm(device::Device& device, const NcclOptions& options) {
  return std::make_unique<NcclComm>(dynamic_cast<device::CudaDevice&>(device), options);
}

}  // namespace scalestudy::comm
