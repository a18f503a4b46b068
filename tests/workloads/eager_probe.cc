// Sends one message to a rank that has MPI make progress, and asks for it 200 ms later. Prints the
// ms that MPI_Send took: few where MPI sends before it is asked. Then what MPI says of variables
// that were to set it up. Its argument is the bytes of the message.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

#include "workloads/rank/mpi_settings.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> message(static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 1));
  const auto bytes = static_cast<int>(message.size());
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const double begin_s = MPI_Wtime();
    MPI_Send(message.data(), bytes, MPI_CHAR, 1, /*tag=*/0, MPI_COMM_WORLD);
    std::printf("%.1f ms\n", 1e3 * (MPI_Wtime() - begin_s));
    for (const auto& [name, setting] :
         scalestudy::rank::mpi_settings(scalestudy::rank::Calls::kMessages)) {
      std::printf("%s %s\n", name.c_str(), setting.found.c_str());
    }
  } else if (rank == 1) {
    const double begin_s = MPI_Wtime();
    for (int is_here = 0; MPI_Wtime() - begin_s < 0.2;) {
      MPI_Iprobe(0, /*tag=*/1, MPI_COMM_WORLD, &is_here, MPI_STATUS_IGNORE);  // none has it
    }
    MPI_Recv(message.data(), bytes, MPI_CHAR, 0, /*tag=*/0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
