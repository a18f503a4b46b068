#include <limits>
#include <stdexcept>
#include <string>

#include <mpi.h>

#include "workloads/comm/collective.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::comm {
namespace {

class MpiCollective final : public Collective {
 public:
  MpiCollective(Operation operation,
                std::span<const float> send,
                std::span<float> receive,
                int peer)
      : operation_(operation), send_(send.data()), receive_(receive.data()), peer_(peer) {
    // Never freed: that is collective, and would wait for a rank that has failed.
    MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    MPI_CHECK(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
    MPI_CHECK(MPI_Comm_rank(communicator_, &rank_));
    MPI_CHECK(MPI_Comm_size(communicator_, &size_));
    const std::size_t part =
        part_count(operation, send.size(), receive.size(), static_cast<std::size_t>(size_));
    if (part > std::numeric_limits<int>::max()) {
      throw rank::WorkloadError(protocol::kExitUsage,
                                "message_bytes asks for " + std::to_string(part) +
                                    " elements in one MPI call, which takes 2147483647 at most");
    }
    count_ = static_cast<int>(part);
  }

  void run() override {
    switch (operation_) {
      case Operation::kAllReduce:
        MPI_CHECK(MPI_Allreduce(send_, receive_, count_, MPI_FLOAT, MPI_SUM, communicator_));
        return;
      case Operation::kAllGather:
        MPI_CHECK(
            MPI_Allgather(send_, count_, MPI_FLOAT, receive_, count_, MPI_FLOAT, communicator_));
        return;
      case Operation::kReduceScatter:
        MPI_CHECK(
            MPI_Reduce_scatter_block(send_, receive_, count_, MPI_FLOAT, MPI_SUM, communicator_));
        return;
      case Operation::kBroadcast:
        // One buffer in MPI: rank 0 names what it sends, which MPI does not write to.
        MPI_CHECK(MPI_Bcast(rank_ == 0 ? const_cast<float*>(send_) : receive_,
                            count_,
                            MPI_FLOAT,
                            0,
                            communicator_));
        return;
      case Operation::kSendRecv:
        MPI_CHECK(MPI_Sendrecv(send_,
                               count_,
                               MPI_FLOAT,
                               (rank_ + 1) % size_,
                               0,
                               receive_,
                               count_,
                               MPI_FLOAT,
                               (rank_ + size_ - 1) % size_,
                               0,
                               communicator_,
                               MPI_STATUS_IGNORE));
        return;
      case Operation::kAllToAll:
        MPI_CHECK(
            MPI_Alltoall(send_, count_, MPI_FLOAT, receive_, count_, MPI_FLOAT, communicator_));
        return;
      case Operation::kPingPong:
        if (peer_ > rank_) {
          send_to_peer();
        }
        if (peer_ != kNoPeer) {
          MPI_CHECK(
              MPI_Recv(receive_, count_, MPI_FLOAT, peer_, 0, communicator_, MPI_STATUS_IGNORE));
        }
        if (peer_ < rank_ && peer_ != kNoPeer) {
          send_to_peer();
        }
        return;
    }
    throw std::logic_error("an operation without a case");
  }

  void check() const override {}  // every call has said how it went

 private:
  void send_to_peer() const {
    MPI_CHECK(MPI_Send(send_, count_, MPI_FLOAT, peer_, 0, communicator_));
  }

  Operation operation_;
  const float* send_;
  float* receive_;
  int peer_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int count_ = 0;
};

}  // namespace

std::unique_ptr<Collective> make_mpi_collective(Operation operation,
                                                std::span<const float> send,
                                                std::span<float> receive,
                                                int peer) {
  return std::make_unique<MpiCollective>(operation, send, receive, peer);
}

}  // namespace scalestudy::comm
