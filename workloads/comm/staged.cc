#include "workloads/comm/staged.h"

#include <vector>

#include "workloads/device/cuda_check.h"
#include "workloads/device/cuda_device.h"

namespace scalestudy::comm {
namespace {

// Host memory that copies to and from a device without an extra one on the way.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory() { release(); }

  void* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      release();
      bytes_ = 0;
      CUDA_CHECK(cudaMallocHost(&block_, bytes));
      bytes_ = bytes;
    }
    return block_;
  }

 private:
  void release() noexcept {
    if (block_ != nullptr) {
      device::report_cuda(cudaFreeHost(block_), "cudaFreeHost");
      block_ = nullptr;
    }
  }

  void* block_ = nullptr;
  std::size_t bytes_ = 0;
};

class StagedComm final : public Comm {
 public:
  StagedComm(device::CudaDevice& device, Comm& host, std::size_t slot_count)
      : device_(device), host_(host), slots_(slot_count) {}

  void allreduce_sum(const Buffer& buffer, Timing timing) override {
    begin(blocking_, buffer, timing);
    CUDA_CHECK(cudaEventSynchronize(blocking_.copied.get()));
    host_.allreduce_sum(blocking_.in_host, std::nullopt);
    finish(blocking_);
  }

  void start_allreduce_sum(std::size_t slot, const Buffer& buffer, Timing timing) override {
    begin(slots_.at(slot), buffer, timing);
  }

  bool test(std::size_t slot) override {
    Slot& operation = slots_.at(slot);
    if (!operation.is_summing) {
      const cudaError_t status = cudaEventQuery(operation.copied.get());
      if (status == cudaErrorNotReady) {
        return false;
      }
      device::check_cuda(status, "cudaEventQuery", __FILE__, __LINE__);
      sum(slot);
    }
    if (!host_.test(slot)) {
      return false;
    }
    finish(operation);
    return true;
  }

  void wait(std::size_t slot) override {
    Slot& operation = slots_.at(slot);
    if (!operation.is_summing) {
      CUDA_CHECK(cudaEventSynchronize(operation.copied.get()));
      sum(slot);
    }
    host_.wait(slot);
    finish(operation);
  }

 private:
  struct Slot {
    PinnedMemory memory;
    Buffer on_device{};
    Buffer in_host{};
    Timing timing;
    bool is_summing = false;   // on its way through `host`
    device::CudaEvent ready;   // what the operation sums has been computed
    device::CudaEvent copied;  // and is in host memory
    device::CudaEvent done;    // the sum is back
  };

  void begin(Slot& slot, const Buffer& buffer, Timing timing) {
    cudaStream_t stream = device_.communication();
    const std::size_t bytes = buffer.count * device::size_bytes(buffer.type);
    slot.on_device = buffer;
    slot.in_host = {slot.memory.at_least(bytes), buffer.count, buffer.type};
    slot.timing = timing;
    CUDA_CHECK(cudaEventRecord(slot.ready.get(), device_.compute()));
    CUDA_CHECK(cudaStreamWaitEvent(stream, slot.ready.get(), 0));
    if (timing) {
      CUDA_CHECK(cudaEventRecord(device_.event(timing->begin), stream));
    }
    CUDA_CHECK(
        cudaMemcpyAsync(slot.in_host.data, buffer.data, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaEventRecord(slot.copied.get(), stream));
  }

  void sum(std::size_t slot) {
    host_.start_allreduce_sum(slot, slots_.at(slot).in_host, std::nullopt);
    slots_.at(slot).is_summing = true;
  }

  void finish(Slot& slot) {
    cudaStream_t stream = device_.communication();
    const std::size_t bytes = slot.in_host.count * device::size_bytes(slot.in_host.type);
    CUDA_CHECK(cudaMemcpyAsync(
        slot.on_device.data, slot.in_host.data, bytes, cudaMemcpyHostToDevice, stream));
    if (slot.timing) {
      CUDA_CHECK(cudaEventRecord(device_.event(slot.timing->end), stream));
    }
    CUDA_CHECK(cudaEventRecord(slot.done.get(), stream));
    CUDA_CHECK(cudaStreamWaitEvent(device_.compute(), slot.done.get(), 0));
    slot.is_summing = false;
  }

  device::CudaDevice& device_;
  Comm& host_;
  std::vector<Slot> slots_;
  Slot blocking_;
};

}  // namespace

std::unique_ptr<Comm> make_staged_comm(device::Device& device, Comm& host, std::size_t slot_count) {
  return std::make_unique<StagedComm>(dynamic_cast<device::CudaDevice&>(device), host, slot_count);
}

}  // namespace scalestudy::comm
