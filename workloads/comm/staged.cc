#include "workloads/comm/staged.h"

#include <stdexcept>

#include "workloads/device/cuda_check.h"
#include "workloads/device/cuda_device.h"

namespace scalestudy::comm {
namespace {

// Host memory that copies to and from a device without an extra one on the way.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes) : bytes_(bytes) {
    CUDA_CHECK(cudaMallocHost(&block_, bytes));
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory() { device::report_cuda(cudaFreeHost(block_), "cudaFreeHost"); }

  void* data() const { return block_; }
  std::size_t size() const { return bytes_; }

 private:
  void* block_ = nullptr;
  std::size_t bytes_;
};

class StagedComm final : public Comm {
 public:
  StagedComm(device::CudaDevice& device, Comm& host, std::size_t capacity_bytes)
      : device_(device), host_(host), memory_(capacity_bytes) {}

  void run(const Exchange& exchange, Timing timing) override {
    const bool is_sum = exchange.operation == Operation::kAllReduce;
    const bool is_gather = exchange.operation == Operation::kAllGather;
    const Buffer& sent = is_gather ? exchange.part : exchange.whole;
    const Buffer& received = is_sum || is_gather ? exchange.whole : exchange.part;
    // On the host the part lies behind the whole.
    const Buffer whole{memory_.data(), exchange.whole.count, sent.type};
    const Buffer part{
        static_cast<std::byte*>(memory_.data()) + bytes(whole), exchange.part.count, sent.type};
    if (bytes(whole) + (is_sum ? 0 : bytes(part)) > memory_.size()) {
      throw std::logic_error("a buffer is larger than the memory it is staged through");
    }
    cudaStream_t stream = device_.communication();
    CUDA_CHECK(cudaEventRecord(ready_.get(), device_.compute()));
    CUDA_CHECK(cudaStreamWaitEvent(stream, ready_.get(), 0));
    mark(timing ? &timing->begin : nullptr);
    CUDA_CHECK(cudaMemcpyAsync(
        (is_gather ? part : whole).data, sent.data, bytes(sent), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    host_.run({exchange.operation, whole, part}, std::nullopt);
    CUDA_CHECK(cudaMemcpyAsync(received.data,
                               (is_sum || is_gather ? whole : part).data,
                               bytes(received),
                               cudaMemcpyHostToDevice,
                               stream));
    mark(timing ? &timing->end : nullptr);
    CUDA_CHECK(cudaEventRecord(done_.get(), stream));
    CUDA_CHECK(cudaStreamWaitEvent(device_.compute(), done_.get(), 0));
  }

  void start(std::size_t /*slot*/, const Exchange& /*exchange*/, Timing /*timing*/) override {
    throw std::logic_error(kOnlyBlocking);
  }
  bool test(std::size_t /*slot*/) override { throw std::logic_error(kOnlyBlocking); }
  void wait(std::size_t /*slot*/) override { throw std::logic_error(kOnlyBlocking); }

 private:
  static constexpr const char* kOnlyBlocking = "staged operations are waited for at once";

  static std::size_t bytes(const Buffer& buffer) {
    return buffer.count * device::size_bytes(buffer.type);
  }

  void mark(const device::Mark* at) {
    if (at != nullptr) {
      CUDA_CHECK(cudaEventRecord(device_.event(*at), device_.communication()));
    }
  }

  device::CudaDevice& device_;
  Comm& host_;
  // One for all buffers: the next copy to it waits in the queue for the last one from it.
  PinnedMemory memory_;
  device::CudaEvent ready_{device::CudaEvent::Use::kOrder};  // what is sent has been computed
  device::CudaEvent done_{device::CudaEvent::Use::kOrder};   // the result is back
};

}  // namespace

std::unique_ptr<Comm> make_staged_comm(device::Device& device,
                                       Comm& host,
                                       std::size_t capacity_bytes) {
  return std::make_unique<StagedComm>(
      dynamic_cast<device::CudaDevice&>(device), host, capacity_bytes);
}

}  // namespace scalestudy::comm
