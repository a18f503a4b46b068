#include <algorithm>
#include <vector>

#include "workloads/comm/messages.h"
#include "workloads/comm/nccl_communicator.h"
#include "workloads/device/cuda_check.h"

namespace scalestudy::comm {
namespace {

class NcclMessages final : public Messages {
 public:
  NcclMessages(device::CudaDevice& device,
               const NcclOptions& up,
               const NcclOptions& down,
               std::size_t slot_count,
               int distance)
      : device_(device),
        rank_(up.rank),
        up_(device, device.communication(), up, slot_count),
        down_(device, device.communication_beside(), down, slot_count),
        slots_(slot_count) {
    connect(up, distance, up_);
    connect(down, -distance, down_);
  }

  void send(std::size_t slot, const Buffer& buffer, int to) override {
    note(slot, buffer, to, to > rank_ ? up_ : down_);
    queue(slots_[slot], Direction::kSend);
  }

  void receive(std::size_t slot, const Buffer& buffer, int from) override {
    Lane& lane = from < rank_ ? up_ : down_;
    note(slot, buffer, from, lane);
    lane.asked.push_back(slot);
  }

  void wait(std::size_t slot) override {
    Slot& message = slots_.at(slot);
    if (message.lane == nullptr) {
      return;
    }
    std::vector<std::size_t>& asked = message.lane->asked;
    while (std::find(asked.begin(), asked.end(), slot) != asked.end()) {
      queue(slots_[asked.front()], Direction::kReceive);
      asked.erase(asked.begin());
    }
    message.lane->communicator.check();
    CUDA_CHECK(cudaStreamWaitEvent(device_.compute(), message.done.get(), 0));
    message.lane = nullptr;
  }

  void advance() override {}  // the device drives itself

 private:
  enum class Direction { kSend, kReceive };

  struct Lane {
    Lane(device::CudaDevice& device,
         cudaStream_t queue,
         const NcclOptions& options,
         std::size_t slot_count)
        : communicator(device, queue, options) {
      asked.reserve(slot_count);
    }

    NcclCommunicator communicator;
    std::vector<std::size_t> asked;  // slots of receives that are not queued yet
  };

  struct Slot {
    Lane* lane = nullptr;  // of the message in it; nullptr: there is none
    Buffer buffer{};
    int peer = 0;
    device::CudaEvent ready{device::CudaEvent::Use::kOrder};  // the buffer is: to be read, written
    device::CudaEvent done{device::CudaEvent::Use::kOrder};
  };

  // Sends an element to the rank that is `step` further, and receives one.
  void connect(const NcclOptions& options, int step, Lane& lane) {
    const auto is_rank = [&](int rank) { return rank >= 0 && rank < options.size; };
    auto* const elements = static_cast<float*>(device_.allocate(2 * sizeof(float)));
    {
      const auto lock = lane.communicator.enter();
      ncclComm_t comm = lane.communicator.get();
      cudaStream_t stream = lane.communicator.queue();
      in_group([&] {
        if (is_rank(rank_ + step)) {
          NCCL_CHECK(ncclSend(elements, 1, ncclFloat32, rank_ + step, comm, stream));
        }
        if (is_rank(rank_ - step)) {
          NCCL_CHECK(ncclRecv(elements + 1, 1, ncclFloat32, rank_ - step, comm, stream));
        }
      });
    }
    CUDA_CHECK(cudaStreamSynchronize(lane.communicator.queue()));
    lane.communicator.check();
    device_.release(elements);
  }

  void note(std::size_t slot, const Buffer& buffer, int peer, Lane& lane) {
    Slot& message = slots_.at(slot);
    message.lane = &lane;
    message.buffer = buffer;
    message.peer = peer;
    CUDA_CHECK(cudaEventRecord(message.ready.get(), device_.compute()));
  }

  static void queue(const Slot& message, Direction direction) {
    NcclCommunicator& communicator = message.lane->communicator;
    const auto& [data, count, type] = message.buffer;
    const auto lock = communicator.enter();
    cudaStream_t stream = communicator.queue();
    CUDA_CHECK(cudaStreamWaitEvent(stream, message.ready.get(), 0));
    if (direction == Direction::kSend) {
      NCCL_CHECK(ncclSend(data, count, nccl_type(type), message.peer, communicator.get(), stream));
    } else {
      NCCL_CHECK(ncclRecv(data, count, nccl_type(type), message.peer, communicator.get(), stream));
    }
    CUDA_CHECK(cudaEventRecord(message.done.get(), stream));
    communicator.note_operation();
  }

  device::CudaDevice& device_;
  int rank_;
  Lane up_;    // messages to higher ranks
  Lane down_;  // and to lower ones
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Messages> make_nccl_messages(device::Device& device,
                                             const NcclOptions& up,
                                             const NcclOptions& down,
                                             std::size_t slot_count,
                                             int distance) {
  return std::make_unique<NcclMessages>(
      dynamic_cast<device::CudaDevice&>(device), up, down, slot_count, distance);
}

}  // namespace scalestudy::comm
