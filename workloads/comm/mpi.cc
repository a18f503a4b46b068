#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include <mpi.h>

#include "workloads/comm/comm.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/affinity.h"
#include "workloads/rank/error.h"

namespace scalestudy::comm {
namespace {

// inout[i] += in[i] for elements MPI does not know; its signature is MPI_User_function's.
template <typename T>
// NOLINTNEXTLINE(readability-non-const-parameter): MPI's type has no const
void sum_elements(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const T* from = static_cast<const T*>(in);
  T* to = static_cast<T*>(inout);
  for (int i = 0; i < *count; ++i) {
    to[i] = static_cast<T>(to[i] + from[i]);
  }
}

// All ranks' communicator for gradients and parameters. Neither it nor its types are ever freed:
// that is collective, and would wait for a rank that has failed.
class GradientCommunicator {
 public:
  GradientCommunicator() {
    MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    MPI_CHECK(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
    MPI_CHECK(MPI_Type_contiguous(2, MPI_BYTE, &two_bytes_));
    MPI_CHECK(MPI_Type_commit(&two_bytes_));
    MPI_CHECK(MPI_Op_create(sum_elements<device::Bf16>, 1, &bf16_sum_));
    MPI_CHECK(MPI_Op_create(sum_elements<device::Half>, 1, &half_sum_));
  }

  void run(const Exchange& exchange) const {
    const auto& [operation, whole, part] = exchange;
    switch (operation) {
      case Operation::kAllReduce:
        return allreduce(whole);
      case Operation::kReduceScatter:
        MPI_CHECK(MPI_Reduce_scatter_block(send(exchange),
                                           receive(exchange).data,
                                           count(part),
                                           type(whole),
                                           sum(whole),
                                           communicator_));
        return finish(exchange);
      case Operation::kAllGather:
        MPI_CHECK(MPI_Allgather(send(exchange),
                                count(part),
                                type(whole),
                                whole.data,
                                count(part),
                                type(whole),
                                communicator_));
        return;
      default:
        throw std::logic_error(kNoSuchOperation);
    }
  }

  // To be followed by finish() once the request is complete.
  void start(const Exchange& exchange, MPI_Request& request) const {
    const auto& [operation, whole, part] = exchange;
    switch (operation) {
      case Operation::kAllReduce:
        MPI_CHECK(MPI_Iallreduce(MPI_IN_PLACE,
                                 whole.data,
                                 count(whole),
                                 type(whole),
                                 sum(whole),
                                 communicator_,
                                 &request));
        return;
      case Operation::kReduceScatter:
        MPI_CHECK(MPI_Ireduce_scatter_block(send(exchange),
                                            receive(exchange).data,
                                            count(part),
                                            type(whole),
                                            sum(whole),
                                            communicator_,
                                            &request));
        return;
      case Operation::kAllGather:
        MPI_CHECK(MPI_Iallgather(send(exchange),
                                 count(part),
                                 type(whole),
                                 whole.data,
                                 count(part),
                                 type(whole),
                                 communicator_,
                                 &request));
        return;
      default:
        throw std::logic_error(kNoSuchOperation);
    }
  }

  // MPI leaves the part of a sum in place at the beginning of the whole. Open MPI leaves the rest
  // as it was, so that padding behind tensors is still zero.
  static void finish(const Exchange& exchange) {
    if (exchange.operation == Operation::kReduceScatter && exchange.is_in_place() &&
        exchange.part.data != exchange.whole.data) {
      const std::size_t bytes = exchange.part.count * device::size_bytes(exchange.part.type);
      std::memcpy(exchange.part.data, exchange.whole.data, bytes);
      std::memset(exchange.whole.data, 0, bytes);
    }
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{8} << 20U;
  static constexpr const char* kNoSuchOperation = "training has no such operation";

  // Of an operation with parts.
  static const void* send(const Exchange& exchange) {
    if (exchange.is_in_place()) {
      return MPI_IN_PLACE;
    }
    return exchange.operation == Operation::kAllGather ? exchange.part.data : exchange.whole.data;
  }
  static const Buffer& receive(const Exchange& exchange) {
    return exchange.is_in_place() ? exchange.whole : exchange.part;
  }

  // In pieces: above 16 MiB Open MPI maps new memory for every call, and spends most of it there
  // (235 MB on 2 ranks: 104 ms in one call, 43 ms in pieces).
  void allreduce(const Buffer& buffer) const {
    const std::size_t element_bytes = device::size_bytes(buffer.type);
    const std::size_t piece_count = kPieceBytes / element_bytes;
    for (std::size_t first = 0; first < buffer.count; first += piece_count) {
      MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE,
                              static_cast<std::byte*>(buffer.data) + first * element_bytes,
                              static_cast<int>(std::min(piece_count, buffer.count - first)),
                              type(buffer),
                              sum(buffer),
                              communicator_));
    }
  }

  // MPI counts elements in an int.
  static int count(const Buffer& buffer) {
    if (buffer.count > std::numeric_limits<int>::max()) {
      throw std::length_error(
          "a bucket holds more elements than one MPI call takes; use strategy ddp and lower "
          "bucket_mb");
    }
    return static_cast<int>(buffer.count);
  }

  MPI_Datatype type(const Buffer& buffer) const {
    switch (buffer.type) {
      case device::DataType::kFloat32:
        return MPI_FLOAT;
      case device::DataType::kFloat64:
        return MPI_DOUBLE;
      case device::DataType::kBfloat16:
      case device::DataType::kFloat16:
        break;
    }
    return two_bytes_;
  }

  MPI_Op sum(const Buffer& buffer) const {
    switch (buffer.type) {
      case device::DataType::kBfloat16:
        return bf16_sum_;
      case device::DataType::kFloat16:
        return half_sum_;
      case device::DataType::kFloat32:
      case device::DataType::kFloat64:
        break;
    }
    return MPI_SUM;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  MPI_Datatype two_bytes_ = MPI_DATATYPE_NULL;
  MPI_Op bf16_sum_ = MPI_OP_NULL;
  MPI_Op half_sum_ = MPI_OP_NULL;
};

class MpiComm final : public Comm {
 public:
  MpiComm(device::Device& device, std::size_t slot_count) : device_(device), slots_(slot_count) {}

  void run(const Exchange& exchange, Timing timing) override {
    if (timing) {
      device_.mark(timing->begin);
    }
    communicator_.run(exchange);
    end(timing);
  }

  void start(std::size_t slot, const Exchange& exchange, Timing timing) override {
    if (timing) {
      device_.mark(timing->begin);
    }
    slots_.at(slot).exchange = exchange;
    slots_[slot].timing = timing;
    communicator_.start(exchange, slots_[slot].request);
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): test() and wait() match it
  }

  bool test(std::size_t slot) override {
    int complete = 0;
    MPI_CHECK(MPI_Test(&slots_.at(slot).request, &complete, MPI_STATUS_IGNORE));
    if (complete != 0) {
      finish(slots_[slot]);
    }
    return complete != 0;
  }

  void wait(std::size_t slot) override {
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): start() made it
    MPI_CHECK(MPI_Wait(&slots_.at(slot).request, MPI_STATUS_IGNORE));
    finish(slots_[slot]);
  }

 private:
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    Exchange exchange{};
    Timing timing;
  };

  void finish(const Slot& slot) {
    GradientCommunicator::finish(slot.exchange);
    end(slot.timing);
  }

  void end(const Timing& timing) {
    if (timing) {
      device_.mark(timing->end);
    }
  }

  device::Device& device_;
  GradientCommunicator communicator_;
  std::vector<Slot> slots_;
};

// Operations run on the thread one after another, as they were started.
class MpiThreadComm final : public Comm {
 public:
  MpiThreadComm(device::Device& device, std::size_t slot_count, const std::vector<int>& cores)
      : device_(device), queue_(slot_count), order_of_slot_(slot_count) {
    thread_ = std::thread([this, cores] {
      rank::run_on(cores);
      run();
    });
  }

  MpiThreadComm(const MpiThreadComm&) = delete;
  MpiThreadComm& operator=(const MpiThreadComm&) = delete;
  // What was started here was started by every rank, so that it ends; should a rank have died, the
  // launcher ends this one.
  ~MpiThreadComm() override {
    started_.fetch_or(kStop);
    started_.notify_one();
    thread_.join();
  }

  void run(const Exchange& exchange, Timing timing) override {
    start(0, exchange, timing);
    wait(0);
  }

  void start(std::size_t slot, const Exchange& exchange, Timing timing) override {
    const std::uint64_t order = started_.load();
    order_of_slot_.at(slot) = order;
    queue_[order % queue_.size()] = {exchange, timing};
    started_.store(order + 1);
    started_.notify_one();
  }

  bool test(std::size_t slot) override {
    const bool is_complete = complete_.load() > order_of_slot_.at(slot);
    if (is_complete && failure_) {
      std::rethrow_exception(failure_);
    }
    return is_complete;
  }

  void wait(std::size_t slot) override {
    while (!test(slot)) {
      // Earlier operations may be in flight: wait for the next one to end, whichever it is.
      const std::uint64_t complete = complete_.load();
      if (complete <= order_of_slot_[slot]) {
        complete_.wait(complete);
      }
    }
  }

 private:
  struct Task {
    Exchange exchange{};
    Timing timing;
  };

  void run() {
    for (std::uint64_t order = 0;; ++order) {
      started_.wait(order);
      if (started_.load() == (order | kStop)) {
        return;
      }
      const Task& task = queue_[order % queue_.size()];
      try {
        perform(task);
      } catch (...) {
        failure_ = std::current_exception();
      }
      complete_.store(order + 1);
      complete_.notify_one();
    }
  }

  void perform(const Task& task) {
    if (task.timing) {
      device_.mark(task.timing->begin);
    }
    communicator_.run(task.exchange);
    if (task.timing) {
      device_.mark(task.timing->end);
    }
  }

  static constexpr std::uint64_t kStop = std::uint64_t{1} << 63U;

  device::Device& device_;
  GradientCommunicator communicator_;
  std::vector<Task> queue_;                   // ring, by order of start
  std::vector<std::uint64_t> order_of_slot_;  // of the operation last started in it
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::uint64_t> complete_{0};
  std::exception_ptr failure_;  // written before complete_, read after it
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Comm> make_mpi_comm(device::Device& device, std::size_t slot_count) {
  return std::make_unique<MpiComm>(device, slot_count);
}

std::unique_ptr<Comm> make_mpi_thread_comm(device::Device& device,
                                           std::size_t slot_count,
                                           const std::vector<int>& cores) {
  int level = MPI_THREAD_SINGLE;
  MPI_CHECK(MPI_Query_thread(&level));
  if (level < MPI_THREAD_SERIALIZED) {
    throw rank::WorkloadError(
        protocol::kExitUnsupported,
        "overlap thread calls MPI from a second thread, which this MPI was "
        "not built for (MPI_THREAD_SERIALIZED is required); use overlap poll");
  }
  return std::make_unique<MpiThreadComm>(device, slot_count, cores);
}

}  // namespace scalestudy::comm
