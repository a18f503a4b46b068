// The frame of a workload program: MPI, the output file, and the one catch.
#pragma once

#include <functional>

#include "workloads/protocol/writer.h"
#include "workloads/rank/world.h"

namespace scalestudy::rank {

// The work of a program. `writer` is not null on rank 0 when SCALESTUDY_OUTPUT names a file.
// Returns the exit code.
using Body = std::function<int(const World& world, protocol::Writer* writer)>;

// Runs `body` between MPI_Init and MPI_Finalize and returns the process's exit code; denormals
// count as zero (denormals.h). An exception ends the whole run: the first rank that meets one
// writes `end` with ok false, the message goes to stderr with rank and host, and MPI_Abort takes
// the other ranks along (a plain exit would leave them waiting in a collective).
int run_program(int argc, char** argv, const Body& body);

// Runs `body` without other ranks and without MPI, which takes a third of a second to start;
// returns the process's exit code.
int run_alone(const std::function<int(protocol::Writer* writer)>& body);

}  // namespace scalestudy::rank
