#include "workloads/comm/nccl.h"

#include <cstring>
#include <stdexcept>
#include <vector>

#include "workloads/comm/nccl_communicator.h"
#include "workloads/device/cuda_check.h"

namespace scalestudy::comm {
namespace {

class NcclComm final : public Comm {
 public:
  NcclComm(device::CudaDevice& device, const NcclOptions& options, std::size_t slot_count)
      : device_(device),
        slots_(slot_count + 1),
        communicator_(device, device.communication(), options) {}

  void run(const Exchange& exchange, Timing timing) override {
    start(slots_.size() - 1, exchange, timing);
    wait(slots_.size() - 1);
  }

  void start(std::size_t slot, const Exchange& exchange, Timing timing) override {
    const auto lock = communicator_.enter();
    cudaStream_t stream = communicator_.queue();
    const Slot& events = slots_.at(slot);
    CUDA_CHECK(cudaEventRecord(events.ready.get(), device_.compute()));
    CUDA_CHECK(cudaStreamWaitEvent(stream, events.ready.get(), 0));
    if (timing) {
      CUDA_CHECK(cudaEventRecord(device_.event(timing->begin), stream));
    }
    queue(exchange, stream);
    if (timing) {
      CUDA_CHECK(cudaEventRecord(device_.event(timing->end), stream));
    }
    CUDA_CHECK(cudaEventRecord(events.done.get(), stream));
    communicator_.note_operation();
  }

  bool test(std::size_t slot) override {
    communicator_.check();
    const cudaError_t status = cudaEventQuery(slots_.at(slot).done.get());
    if (status == cudaErrorNotReady) {
      return false;
    }
    device::check_cuda(status, "cudaEventQuery", __FILE__, __LINE__);
    return true;
  }

  void wait(std::size_t slot) override {
    communicator_.check();
    CUDA_CHECK(cudaStreamWaitEvent(device_.compute(), slots_.at(slot).done.get(), 0));
  }

 private:
  void queue(const Exchange& exchange, cudaStream_t stream) {
    const auto& [operation, whole, part] = exchange;
    const ncclDataType_t type = nccl_type(whole.type);
    ncclComm_t comm = communicator_.get();
    switch (operation) {
      case Operation::kAllReduce:
        if (communicator_.node().comm != nullptr) {
          return allreduce_over_nodes(whole, type, stream);
        }
        NCCL_CHECK(ncclAllReduce(whole.data, whole.data, whole.count, type, ncclSum, comm, stream));
        return;
      case Operation::kReduceScatter:
        NCCL_CHECK(
            ncclReduceScatter(whole.data, part.data, part.count, type, ncclSum, comm, stream));
        return;
      case Operation::kAllGather:
        NCCL_CHECK(ncclAllGather(part.data, whole.data, part.count, type, comm, stream));
        return;
      default:
        throw std::logic_error("training has no such operation");
    }
  }

  // One behind the other in the queue. What a node's ranks cannot share evenly, fewer elements than
  // they are, all ranks sum.
  void allreduce_over_nodes(const Buffer& whole, ncclDataType_t type, cudaStream_t stream) {
    const NcclGroup& node = communicator_.node();
    const std::size_t size = device::size_bytes(whole.type);
    const std::size_t share = whole.count / static_cast<std::size_t>(node.size);
    auto* const begin = static_cast<std::byte*>(whole.data);
    std::byte* const own = begin + static_cast<std::size_t>(node.rank) * share * size;
    if (share > 0) {
      ncclComm_t across = communicator_.across().comm;
      NCCL_CHECK(ncclReduceScatter(begin, own, share, type, ncclSum, node.comm, stream));
      NCCL_CHECK(ncclAllReduce(own, own, share, type, ncclSum, across, stream));
      NCCL_CHECK(ncclAllGather(own, begin, share, type, node.comm, stream));
    }
    const std::size_t shared = share * static_cast<std::size_t>(node.size);
    if (shared < whole.count) {
      std::byte* const rest = begin + shared * size;
      NCCL_CHECK(ncclAllReduce(
          rest, rest, whole.count - shared, type, ncclSum, communicator_.get(), stream));
    }
  }

  struct Slot {
    // What the operation sends has been computed.
    device::CudaEvent ready{device::CudaEvent::Use::kOrder};
    device::CudaEvent done{device::CudaEvent::Use::kOrder};
  };

  device::CudaDevice& device_;
  std::vector<Slot> slots_;  // the last one is for operations that are waited for at once
  NcclCommunicator communicator_;
};

}  // namespace

NcclId make_nccl_id() {
  ncclUniqueId id{};
  NCCL_CHECK(ncclGetUniqueId(&id));
  NcclId bytes{};
  std::memcpy(bytes.data(), &id, sizeof(id));
  return bytes;
}

std::unique_ptr<Comm> make_nccl_comm(device::Device& device,
                                     const NcclOptions& options,
                                     std::size_t slot_count) {
  return std::make_unique<NcclComm>(dynamic_cast<device::CudaDevice&>(device), options, slot_count);
}

}  // namespace scalestudy::comm
