#include "workloads/comm/nccl_communicator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "workloads/device/cuda_check.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::comm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

ncclComm_t connect(const NcclOptions& options) {
  ncclUniqueId id{};
  static_assert(sizeof(id) == sizeof(NcclId));
  std::memcpy(&id, options.id.data(), sizeof(id));
  ncclComm_t comm = nullptr;
  NCCL_CHECK(ncclCommInitRank(&comm, options.size, id, options.rank));
  return comm;
}

NcclGroup split(ncclComm_t all, int color, int order) {
  NcclGroup group;
  NCCL_CHECK(ncclCommSplit(all, color, order, &group.comm, nullptr));
  NCCL_CHECK(ncclCommUserRank(group.comm, &group.rank));
  NCCL_CHECK(ncclCommCount(group.comm, &group.size));
  return group;
}

}  // namespace

void check_nccl(ncclResult_t status, const char* call, const char* file, int line) {
  if (status == ncclSuccess) {
    return;
  }
  const std::string last = ncclGetLastError(nullptr);
  const std::string what = std::string(ncclGetErrorString(status)) + ". " + last;
  // It has no status for it: the words are those of cudaErrorMemoryAllocation, or its own for host
  // memory (src/include/alloc.h of 2.28.9).
  if (last.find("out of memory") != std::string::npos ||
      last.find("Failed to malloc") != std::string::npos) {
    device::throw_out_of_memory(call, file, line, what);
  }
  device::throw_cuda(call, file, line, what);
}

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

// Ends kernels that wait. All at once: alone, aborting the first may wait for the device, and so
// for kernels of the others. source: github.com/pytorch/pytorch, issue 119797
ncclResult_t abort_all(const std::vector<ncclComm_t>& comms) {
  ncclGroupStart();
  for (ncclComm_t comm : comms) {
    ncclCommAbort(comm);
  }
  return ncclGroupEnd();
}

// A thread of its own.
class NcclCommunicator::Watchdog {
 public:
  Watchdog(std::vector<ncclComm_t> comms,
           device::CudaDevice& device,
           cudaStream_t queue,
           double timeout_s)
      : comms_(std::move(comms)),
        device_(device),
        queue_(queue),
        timeout_(
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s))),
        notes_(make_notes()),
        thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  std::unique_lock<std::timed_mutex> enter() {
    std::unique_lock lock(calls_);
    check();
    return lock;
  }
  void note_operation() {
    const std::uint64_t number = noted_.load();
    CUDA_CHECK(cudaEventRecord(notes_[number % kNotes].get(), queue_));
    noted_.store(number + 1);
  }

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
  static std::vector<device::CudaEvent> make_notes() {
    std::vector<device::CudaEvent> notes;
    for (std::size_t i = 0; i < kNotes; ++i) {
      notes.emplace_back(device::CudaEvent::Use::kOrder);
    }
    return notes;
  }

  // An event behind all that is queued shows whether the queue moves, and shares nothing with the
  // thread that queues.
  void watch(const std::stop_token& stop) {
    try {
      CUDA_CHECK(cudaSetDevice(device_.ordinal()));
      const device::CudaEvent beat(device::CudaEvent::Use::kOrder);
      do {
        CUDA_CHECK(cudaEventRecord(beat.get(), queue_));
      } while (is_reached(beat, stop) && sleep(stop, milliseconds(1000)));
    } catch (const std::exception& error) {
      // The thread that queues meets the same error and reports it.
      std::fprintf(stderr, "scalestudy: the NCCL watchdog stopped: %s\n", error.what());
    }
  }

  // False when there is nothing left to watch.
  bool is_reached(const device::CudaEvent& beat, const std::stop_token& stop) {
    Clock::time_point deadline = Clock::now() + timeout_;
    do {
      for (ncclComm_t comm : comms_) {
        ncclResult_t error = ncclSuccess;
        NCCL_CHECK(ncclCommGetAsyncError(comm, &error));
        if (error != ncclSuccess && error != ncclInProgress) {
          abort(stop,
                std::string("NCCL failed: ") + ncclGetErrorString(error) + ". " +
                    ncclGetLastError(comm));
          return false;
        }
      }
      if (cudaEventQuery(beat.get()) != cudaErrorNotReady) {
        return true;
      }
      if (has_reached_notes()) {
        deadline = Clock::now() + timeout_;
      }
      if (Clock::now() > deadline) {
        abort(stop, "NCCL operations did not finish in time: another rank may be gone or late");
        return false;
      }
    } while (sleep(stop, milliseconds(100)));
    return false;
  }

  // Whether the queue has passed operations since the last call.
  bool has_reached_notes() {
    const std::uint64_t noted = noted_.load();
    // Of older ones the events are those of newer ones by now.
    reached_ = std::max(reached_, noted - std::min<std::uint64_t>(noted, kNotes));
    const std::uint64_t before = reached_;
    while (reached_ < noted &&
           cudaEventQuery(notes_[reached_ % kNotes].get()) != cudaErrorNotReady) {
      ++reached_;
    }
    return reached_ > before;
  }

  void abort(const std::stop_token& stop, const std::string& message) {
    {
      const std::unique_lock lock(calls_, milliseconds(5000));
      message_ = message;
      has_aborted_.store(true);
      abort_all(comms_);  // so that the other thread can go on
    }
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

  std::vector<ncclComm_t> comms_;
  device::CudaDevice& device_;
  cudaStream_t queue_;
  Clock::duration timeout_;
  std::string message_;  // written before has_aborted_, read after it
  std::atomic<bool> has_aborted_ = false;
  std::timed_mutex calls_;  // of NCCL, by the other thread
  // Behind operations, a ring by their number: more than a host is ahead of its device, 8 steps, as
  // long as a step has fewer than 512 (a stage of a pipeline has two for each micro-batch).
  static constexpr std::size_t kNotes = 4096;
  std::vector<device::CudaEvent> notes_;
  std::atomic<std::uint64_t> noted_ = 0;
  std::uint64_t reached_ = 0;  // the watch's own
  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::jthread thread_;  // last: it uses the others
};

NcclCommunicator::NcclCommunicator(device::CudaDevice& device,
                                   cudaStream_t queue,
                                   const NcclOptions& options)
    : queue_(queue),
      all_(connect(options)),
      node_(options.node ? split(all_, *options.node, options.rank) : NcclGroup{}),
      across_(options.node ? split(all_, node_.rank, options.rank) : NcclGroup{}),
      watchdog_(std::make_unique<Watchdog>(comms(), device, queue, options.timeout_s)) {}

// Those that were split from the first before it.
std::vector<ncclComm_t> NcclCommunicator::comms() const {
  return node_.comm == nullptr ? std::vector{all_} : std::vector{across_.comm, node_.comm, all_};
}

NcclCommunicator::~NcclCommunicator() {
  watchdog_->stop();
  if (watchdog_->has_aborted()) {
    return;
  }
  const auto note = [](ncclResult_t status) {
    if (status != ncclSuccess) {
      std::fprintf(stderr, "scalestudy: ending NCCL: %s\n", ncclGetErrorString(status));
    }
  };
  // Destroying waits for the other ranks, which may never come once this one has failed.
  if (std::uncaught_exceptions() > 0) {
    note(abort_all(comms()));
    return;
  }
  for (ncclComm_t comm : comms()) {
    note(ncclCommDestroy(comm));
  }
}

void NcclCommunicator::check() const {
  watchdog_->check();
}

std::unique_lock<std::timed_mutex> NcclCommunicator::enter() {
  return watchdog_->enter();
}

void NcclCommunicator::note_operation() {
  watchdog_->note_operation();
}

}  // namespace scalestudy::comm
