#include <stdexcept>

#include "workloads/comm/nccl_communicator.h"

namespace scalestudy::comm {
namespace {

class NcclCollective final : public Collective {
 public:
  NcclCollective(device::CudaDevice& device,
                 const NcclOptions& options,
                 Operation operation,
                 std::span<const float> send,
                 std::span<float> receive)
      : operation_(operation),
        send_(send.data()),
        receive_(receive.data()),
        rank_(options.rank),
        size_(options.size),
        peer_(options.peer),
        count_(part_count(
            operation, send.size(), receive.size(), static_cast<std::size_t>(options.size))),
        communicator_(device, device.compute(), options) {}

  void run() override {
    const auto lock = communicator_.enter();
    ncclComm_t comm = communicator_.get();
    cudaStream_t queue = communicator_.queue();
    switch (operation_) {
      case Operation::kAllReduce:
        NCCL_CHECK(ncclAllReduce(send_, receive_, count_, ncclFloat32, ncclSum, comm, queue));
        return;
      case Operation::kAllGather:
        NCCL_CHECK(ncclAllGather(send_, receive_, count_, ncclFloat32, comm, queue));
        return;
      case Operation::kReduceScatter:
        NCCL_CHECK(ncclReduceScatter(send_, receive_, count_, ncclFloat32, ncclSum, comm, queue));
        return;
      case Operation::kBroadcast:
        // Rank 0 receives its own as well: out of place, as nccl-tests times it.
        NCCL_CHECK(ncclBroadcast(send_, receive_, count_, ncclFloat32, 0, comm, queue));
        return;
      case Operation::kSendRecv:
        in_group(
            [&] { exchange(send_, (rank_ + 1) % size_, receive_, (rank_ + size_ - 1) % size_); });
        return;
      case Operation::kAllToAll:
        in_group([&] {
          for (int peer = 0; peer < size_; ++peer) {
            const std::size_t part = static_cast<std::size_t>(peer) * count_;
            exchange(send_ + part, peer, receive_ + part, peer);
          }
        });
        return;
      case Operation::kPingPong:
        if (peer_ > rank_) {
          send_to(peer_, send_);
        }
        if (peer_ != kNoPeer) {
          receive_from(peer_, receive_);
        }
        if (peer_ < rank_ && peer_ != kNoPeer) {
          send_to(peer_, send_);
        }
        return;
    }
    throw std::logic_error("an operation without a case");
  }

  void check() const override { communicator_.check(); }

 private:
  void exchange(const float* send, int to, float* receive, int from) const {
    send_to(to, send);
    receive_from(from, receive);
  }

  void send_to(int peer, const float* data) const {
    NCCL_CHECK(
        ncclSend(data, count_, ncclFloat32, peer, communicator_.get(), communicator_.queue()));
  }

  void receive_from(int peer, float* data) const {
    NCCL_CHECK(
        ncclRecv(data, count_, ncclFloat32, peer, communicator_.get(), communicator_.queue()));
  }

  Operation operation_;
  const float* send_;
  float* receive_;
  int rank_;
  int size_;
  int peer_;
  std::size_t count_;
  NcclCommunicator communicator_;
};

}  // namespace

std::unique_ptr<Collective> make_nccl_collective(device::Device& device,
                                                 const NcclOptions& options,
                                                 Operation operation,
                                                 std::span<const float> send,
                                                 std::span<float> receive) {
  return std::make_unique<NcclCollective>(
      dynamic_cast<device::CudaDevice&>(device), options, operation, send, receive);
}

}  // namespace scalestudy::comm
