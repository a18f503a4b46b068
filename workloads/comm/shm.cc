// Operations in shared memory: those of training, and those that are measured.
#include <vector>

#include "workloads/comm/collective.h"
#include "workloads/comm/communicator.h"
#include "workloads/comm/shm_ranks.h"

namespace scalestudy::comm {
namespace {

// An all-reduce is in place; a part may lie in the whole.
Transfer transfer_of(const Exchange& exchange) {
  const auto& [operation, whole, part] = exchange;
  return {operation,
          operation == Operation::kAllGather ? part : whole,
          operation == Operation::kReduceScatter ? part : whole};
}

class ShmCommunicator final : public Communicator {
 public:
  ShmCommunicator(device::SharedMemory& memory, std::size_t slot_count)
      : ranks_(memory, slot_count), numbers_(slot_count) {}

  void run(const Exchange& exchange) override { ranks_.wait(ranks_.start(transfer_of(exchange))); }
  void start(std::size_t slot, const Exchange& exchange) override {
    numbers_.at(slot) = ranks_.start(transfer_of(exchange));
  }
  bool test(std::size_t slot) override { return ranks_.test(numbers_.at(slot)); }
  void wait(std::size_t slot) override { ranks_.wait(numbers_.at(slot)); }

 private:
  ShmRanks ranks_;
  std::vector<std::uint64_t> numbers_;  // of the operation last started in a slot
};

class ShmCollective final : public Collective {
 public:
  ShmCollective(device::SharedMemory& memory, const Transfer& transfer)
      : ranks_(memory, 1), transfer_(transfer) {}

  void run() override { ranks_.wait(ranks_.start(transfer_)); }
  void check() const override {}  // a rank that cannot go on ends all

 private:
  ShmRanks ranks_;
  Transfer transfer_;
};

}  // namespace

std::unique_ptr<Communicator> make_shm_communicator(device::SharedMemory& memory,
                                                    std::size_t slot_count) {
  return std::make_unique<ShmCommunicator>(memory, slot_count);
}

std::unique_ptr<Collective> make_shm_collective(device::SharedMemory& memory,
                                                Operation operation,
                                                std::span<const float> send,
                                                std::span<float> receive) {
  const auto type = device::DataType::kFloat32;
  // Nothing is written where it is sent from.
  const Buffer from{const_cast<float*>(send.data()), send.size(), type};
  return std::make_unique<ShmCollective>(
      memory, Transfer{operation, from, {receive.data(), receive.size(), type}});
}

}  // namespace scalestudy::comm
