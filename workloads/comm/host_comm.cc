// Comm on host memory: operations inside its calls, or on a thread of its own.
#include <atomic>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>

#include "workloads/comm/comm.h"
#include "workloads/comm/communicator.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/affinity.h"
#include "workloads/rank/error.h"
#include "workloads/rank/sleeper.h"

namespace scalestudy::comm {
namespace {

class HostComm final : public Comm {
 public:
  HostComm(device::Device& device,
           std::size_t slot_count,
           std::unique_ptr<Communicator> communicator)
      : device_(device), communicator_(std::move(communicator)), timings_(slot_count) {}

  void run(const Exchange& exchange, Timing timing) override {
    begin(timing);
    communicator_->run(exchange);
    end(timing);
  }

  void start(std::size_t slot, const Exchange& exchange, Timing timing) override {
    begin(timing);
    timings_.at(slot) = timing;
    communicator_->start(slot, exchange);
  }

  bool test(std::size_t slot) override {
    const bool is_complete = communicator_->test(slot);
    if (is_complete) {
      end(timings_[slot]);
    }
    return is_complete;
  }

  void wait(std::size_t slot) override {
    communicator_->wait(slot);
    end(timings_[slot]);
  }

 private:
  void begin(const Timing& timing) {
    if (timing) {
      device_.mark(timing->begin);
    }
  }
  void end(const Timing& timing) {
    if (timing) {
      device_.mark(timing->end);
    }
  }

  device::Device& device_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<Timing> timings_;  // of each slot
};

// Operations run on the thread one after another, as they were started.
class ThreadComm final : public Comm {
 public:
  ThreadComm(device::Device& device,
             std::size_t slot_count,
             const std::vector<int>& cores,
             std::unique_ptr<Communicator> communicator)
      : device_(device),
        communicator_(std::move(communicator)),
        queue_(slot_count),
        order_of_slot_(slot_count) {
    thread_ = std::thread([this, cores] {
      rank::run_on(cores);
      run();
    });
  }

  ThreadComm(const ThreadComm&) = delete;
  ThreadComm& operator=(const ThreadComm&) = delete;
  // What was started here was started by every rank, so that it ends; should a rank have died, the
  // launcher ends this one.
  ~ThreadComm() override {
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
    queue_[order % queue_.size()] = {exchange, timing, rank::now_s()};
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
    rank::sleep_until(queue_[order_of_slot_[slot] % queue_.size()].at_s);
  }

 private:
  struct Task {
    Exchange exchange{};
    Timing timing;
    // When it was started, and then when it ended, by rank::now_s(). The other thread waits for
    // that, which is past by the system's clock; stepped clocks of tests are each thread's own.
    double at_s = 0.0;
  };

  void run() {
    for (std::uint64_t order = 0;; ++order) {
      started_.wait(order);
      if (started_.load() == (order | kStop)) {
        return;
      }
      Task& task = queue_[order % queue_.size()];
      rank::sleep_until(task.at_s);
      try {
        perform(task);
      } catch (...) {
        failure_ = std::current_exception();
      }
      task.at_s = rank::now_s();
      complete_.store(order + 1);
      complete_.notify_one();
    }
  }

  void perform(const Task& task) {
    if (task.timing) {
      device_.mark(task.timing->begin);
    }
    communicator_->run(task.exchange);
    if (task.timing) {
      device_.mark(task.timing->end);
    }
  }

  static constexpr std::uint64_t kStop = std::uint64_t{1} << 63U;

  device::Device& device_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<Task> queue_;                   // ring, by order of start
  std::vector<std::uint64_t> order_of_slot_;  // of the operation last started in it
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::uint64_t> complete_{0};
  std::exception_ptr failure_;  // written before complete_, read after it
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Comm> make_mpi_comm(device::Device& device,
                                    std::size_t slot_count,
                                    NodeRanks nodes,
                                    const std::optional<DeclaredLink>& link) {
  return std::make_unique<HostComm>(
      device, slot_count, make_mpi_communicator(nodes, slot_count, link));
}

std::unique_ptr<Comm> make_mpi_thread_comm(device::Device& device,
                                           std::size_t slot_count,
                                           const std::vector<int>& cores,
                                           NodeRanks nodes,
                                           const std::optional<DeclaredLink>& link) {
  int level = MPI_THREAD_SINGLE;
  MPI_CHECK(MPI_Query_thread(&level));
  if (level < MPI_THREAD_SERIALIZED) {
    throw rank::WorkloadError(
        protocol::kExitUnsupported,
        "overlap thread calls MPI from a second thread, which this MPI was "
        "not built for (MPI_THREAD_SERIALIZED is required); use overlap poll");
  }
  return std::make_unique<ThreadComm>(
      device, slot_count, cores, make_mpi_communicator(nodes, 0, link));
}

std::unique_ptr<Comm> make_shm_comm(device::Device& device, std::size_t slot_count) {
  return std::make_unique<HostComm>(
      device, slot_count, make_shm_communicator(*device.shared_memory(), slot_count));
}

std::unique_ptr<Comm> make_shm_thread_comm(device::Device& device,
                                           std::size_t slot_count,
                                           const std::vector<int>& cores) {
  return std::make_unique<ThreadComm>(
      device, slot_count, cores, make_shm_communicator(*device.shared_memory(), 1));
}

}  // namespace scalestudy::comm
