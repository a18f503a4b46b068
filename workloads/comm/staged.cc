#include "workloads/comm/staged.h"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

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

class StagedMessages final : public Messages {
 public:
  StagedMessages(device::CudaDevice& device,
                 Messages& host,
                 std::size_t slot_count,
                 std::size_t capacity_bytes)
      : device_(device),
        host_(host),
        capacity_bytes_(capacity_bytes),
        memory_(slot_count * capacity_bytes),
        slots_(slot_count) {}

  void send(std::size_t slot, const Buffer& buffer, int to) override {
    const Buffer staged = staged_of(slot, buffer);
    CUDA_CHECK(cudaEventRecord(slots_[slot].ready.get(), device_.compute()));
    copy(slots_[slot], staged.data, buffer, cudaMemcpyDeviceToHost);
    host_.send(slot, staged, to);
  }

  void receive(std::size_t slot, const Buffer& buffer, int from) override {
    host_.receive(slot, staged_of(slot, buffer), from);
    CUDA_CHECK(cudaEventRecord(slots_[slot].ready.get(), device_.compute()));
    slots_[slot].received = buffer;
  }

  void wait(std::size_t slot) override {
    host_.wait(slot);
    Slot& message = slots_.at(slot);
    if (message.received) {
      const Buffer buffer = *std::exchange(message.received, std::nullopt);
      // The host has waited for it: what is queued on the device from here on comes behind.
      copy(message, staged_of(slot, buffer).data, buffer, cudaMemcpyHostToDevice);
    }
  }

  void advance() override { host_.advance(); }

 private:
  struct Slot {
    device::CudaEvent ready{device::CudaEvent::Use::kOrder};  // the buffer is: to be read, written
    std::optional<Buffer> received{};                         // where what is on its way belongs
  };

  Buffer staged_of(std::size_t slot, const Buffer& buffer) const {
    if (buffer.count * device::size_bytes(buffer.type) > capacity_bytes_) {
      throw std::logic_error("a message is larger than the memory it is staged through");
    }
    return {static_cast<std::byte*>(memory_.data()) + slot * capacity_bytes_,
            buffer.count,
            buffer.type};
  }

  // Between a slot's pinned memory and the device, done when it returns.
  void copy(const Slot& slot, void* staged, const Buffer& buffer, cudaMemcpyKind kind) const {
    const bool is_sent = kind == cudaMemcpyDeviceToHost;
    cudaStream_t stream = device_.communication();
    CUDA_CHECK(cudaStreamWaitEvent(stream, slot.ready.get(), 0));
    CUDA_CHECK(cudaMemcpyAsync(is_sent ? staged : buffer.data,
                               is_sent ? buffer.data : staged,
                               buffer.count * device::size_bytes(buffer.type),
                               kind,
                               stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  device::CudaDevice& device_;
  Messages& host_;
  std::size_t capacity_bytes_;
  PinnedMemory memory_;  // of all slots
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Comm> make_staged_comm(device::Device& device,
                                       Comm& host,
                                       std::size_t capacity_bytes) {
  return std::make_unique<StagedComm>(
      dynamic_cast<device::CudaDevice&>(device), host, capacity_bytes);
}

std::unique_ptr<Messages> make_staged_messages(device::Device& device,
                                               Messages& host,
                                               std::size_t slot_count,
                                               std::size_t capacity_bytes) {
  return std::make_unique<StagedMessages>(
      dynamic_cast<device::CudaDevice&>(device), host, slot_count, capacity_bytes);
}

}  // namespace scalestudy::comm
