#include <limits>
#include <stdexcept>
#include <vector>

#include <mpi.h>

#include "workloads/comm/comm.h"
#include "workloads/rank/error.h"

namespace scalestudy::comm {
namespace {

MPI_Datatype mpi_type(device::DataType type) {
  return type == device::DataType::kFloat32 ? MPI_FLOAT : MPI_DOUBLE;
}

// MPI counts elements in an int.
int mpi_count(const Buffer& buffer) {
  if (buffer.count > std::numeric_limits<int>::max()) {
    throw std::length_error(
        "a bucket holds more elements than one MPI call takes; lower bucket_mb");
  }
  return static_cast<int>(buffer.count);
}

class MpiComm final : public Comm {
 public:
  // The communicator is never freed: that is collective, and would wait for a rank that has failed.
  explicit MpiComm(std::size_t slot_count) : requests_(slot_count, MPI_REQUEST_NULL) {
    MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    MPI_CHECK(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
  }

  void allreduce_sum(const Buffer& buffer) override {
    MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE,
                            buffer.data,
                            mpi_count(buffer),
                            mpi_type(buffer.type),
                            MPI_SUM,
                            communicator_));
  }

  void start_allreduce_sum(std::size_t slot, const Buffer& buffer) override {
    MPI_CHECK(MPI_Iallreduce(MPI_IN_PLACE,
                             buffer.data,
                             mpi_count(buffer),
                             mpi_type(buffer.type),
                             MPI_SUM,
                             communicator_,
                             &requests_.at(slot)));
  }

  bool test(std::size_t slot) override {
    int complete = 0;
    MPI_CHECK(MPI_Test(&requests_.at(slot), &complete, MPI_STATUS_IGNORE));
    return complete != 0;
  }

  void wait(std::size_t slot) override {
    MPI_CHECK(MPI_Wait(&requests_.at(slot), MPI_STATUS_IGNORE));
  }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Comm> make_mpi_comm(std::size_t slot_count) {
  return std::make_unique<MpiComm>(slot_count);
}

}  // namespace scalestudy::comm
