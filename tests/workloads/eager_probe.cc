// Sends one message to a rank that has MPI make progress, and that asks for it once the sender has
// seen it leave, or has looked for so long. Prints whether it was sent before it was asked for, and
// what MPI says of variables that were to set it up. Arguments: the bytes of the message; how long
// to look, s.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

#include "workloads/rank/mpi_settings.h"

namespace {

constexpr int kMessage = 0;
constexpr int kAsk = 1;

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> message(
      static_cast<std::size_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1));
  const double look_s = argc > 2 ? std::strtod(argv[2], nullptr) : 1.0;
  const auto bytes = static_cast<int>(message.size());
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(message.data(), bytes, MPI_CHAR, 1, kMessage, MPI_COMM_WORLD, &request);
    int is_sent = 0;
    for (const double begin_s = MPI_Wtime(); is_sent == 0 && MPI_Wtime() - begin_s < look_s;) {
      MPI_Test(&request, &is_sent, MPI_STATUS_IGNORE);
    }
    std::puts(is_sent == 0 ? "not sent before" : "sent before");
    MPI_Send(nullptr, 0, MPI_CHAR, 1, kAsk, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (const auto& [name, setting] :
         scalestudy::rank::mpi_settings(scalestudy::rank::Calls::kMessages, {})) {
      std::printf("%s %s\n", name.c_str(), setting.found.c_str());
    }
  } else if (rank == 1) {
    MPI_Recv(nullptr, 0, MPI_CHAR, 0, kAsk, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(message.data(), bytes, MPI_CHAR, 0, kMessage, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
