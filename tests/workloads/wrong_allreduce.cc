// Loaded before MPI: an all-reduce of which rank 1 gets one element wrong.
#include <mpi.h>

extern "C" int MPI_Allreduce(const void* send,
                             void* receive,
                             int count,
                             MPI_Datatype type,
                             MPI_Op operation,
                             MPI_Comm communicator) {
  const int status = PMPI_Allreduce(send, receive, count, type, operation, communicator);
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  if (type == MPI_FLOAT && rank == 1) {
    static_cast<float*>(receive)[count - 1] += 1.0F;
  }
  return status;
}
