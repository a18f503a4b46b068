#include <limits>
#include <stdexcept>
#include <vector>

#include <mpi.h>

#include "workloads/comm/messages.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/error.h"
#include "workloads/rank/sleeper.h"

namespace scalestudy::comm {
namespace {

constexpr int kTag = 0;

// Of one element, of which sums are not asked here.
MPI_Datatype type_of(const Buffer& buffer) {
  switch (device::size_bytes(buffer.type)) {
    case sizeof(double):
      return MPI_DOUBLE;
    case sizeof(float):
      return MPI_FLOAT;
    default:
      return MPI_UINT16_T;
  }
}

int count_of(const Buffer& buffer) {
  if (buffer.count > std::numeric_limits<int>::max()) {
    throw std::length_error(
        "activations of a micro-batch are more elements than one MPI call takes; use more "
        "accumulation_steps");
  }
  return static_cast<int>(buffer.count);
}

class MpiMessages final : public Messages {
 public:
  MpiMessages(std::size_t slot_count, const std::optional<DeclaredLink>& link)
      : requests_(slot_count, MPI_REQUEST_NULL),
        complete_(slot_count),
        link_(link),
        expected_(slot_count) {
    // Never freed: that is collective, and would wait for a rank that has failed.
    MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    MPI_CHECK(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
    int ranks = 0;
    MPI_CHECK(MPI_Comm_size(communicator_, &ranks));
    queues_.resize(static_cast<std::size_t>(ranks));
  }

  void send(std::size_t slot, const Buffer& buffer, int to) override {
    expected_.at(slot) = {};
    MPI_CHECK(MPI_Isend(
        buffer.data, count_of(buffer), type_of(buffer), to, kTag, communicator_, &requests_[slot]));
  }

  void receive(std::size_t slot, const Buffer& buffer, int from) override {
    const auto bytes = static_cast<double>(buffer.count * device::size_bytes(buffer.type));
    expected_.at(slot) = {.from = from, .bytes = bytes};
    MPI_CHECK(MPI_Irecv(buffer.data,
                        count_of(buffer),
                        type_of(buffer),
                        from,
                        kTag,
                        communicator_,
                        &requests_[slot]));
  }

  void wait(std::size_t slot) override {
    if (!link_) {
      // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): send() or receive() made it
      MPI_CHECK(MPI_Wait(&requests_[slot], MPI_STATUS_IGNORE));
      return;
    }
    while (requests_[slot] != MPI_REQUEST_NULL) {
      advance();
      if (requests_[slot] != MPI_REQUEST_NULL) {
        rank::leave_core();
      }
    }
    rank::sleep_until(expected_[slot].end_s);
  }

  void advance() override {
    int count = 0;
    MPI_CHECK(MPI_Testsome(static_cast<int>(requests_.size()),
                           requests_.data(),
                           &count,
                           complete_.data(),
                           MPI_STATUSES_IGNORE));
    for (int i = 0; link_ && count != MPI_UNDEFINED && i < count; ++i) {
      Expected& message =
          expected_[static_cast<std::size_t>(complete_[static_cast<std::size_t>(i)])];
      if (message.from < 0) {
        continue;  // it was sent
      }
      message.end_s = queues_[static_cast<std::size_t>(message.from)].end_s(
          rank::now_s(), link_->message_s(message.bytes));
    }
  }

 private:
  // Of a slot's message with a declared link.
  struct Expected {
    int from = -1;  // nobody: it is sent
    double bytes = 0.0;
    double end_s = 0.0;  // when the link is through with it
  };

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;  // of each slot
  std::vector<int> complete_;          // slots, of one call
  std::optional<DeclaredLink> link_;
  std::vector<Expected> expected_;  // of each slot
  std::vector<LinkQueue> queues_;   // of each rank's messages to this one
};

}  // namespace

std::unique_ptr<Messages> make_mpi_messages(std::size_t slot_count,
                                            const std::optional<DeclaredLink>& link) {
  return std::make_unique<MpiMessages>(slot_count, link);
}

}  // namespace scalestudy::comm
