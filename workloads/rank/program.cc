#include "workloads/rank/program.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <thread>

#include <mpi.h>
#include <sys/prctl.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/denormals.h"
#include "workloads/rank/error.h"

namespace scalestudy::rank {
namespace {

struct Failure {
  int exit_code;
  std::string message;
  std::optional<protocol::Check> check = std::nullopt;

  // What was asked for wrongly, or what the machine lacks, strikes every rank alike.
  bool is_alike() const {
    return exit_code == protocol::kExitUsage || exit_code == protocol::kExitUnsupported;
  }
};

Failure describe(const std::exception& error) {
  if (const auto* known = dynamic_cast<const WorkloadError*>(&error)) {
    return {known->exit_code(), known->what(), known->check()};
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return {protocol::kExitOutOfMemory, "out of memory: use a smaller batch, model or message"};
  }
  return {protocol::kExitFailed, error.what()};
}

const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread changes it
}

std::string output_path() {
  const char* path = environment("SCALESTUDY_OUTPUT");
  return path == nullptr ? "" : path;
}

// Started by hand from a shell there is none, and the process may outlive the shell.
bool has_launcher() {
  return environment("OMPI_COMM_WORLD_RANK") != nullptr || environment("PMIX_RANK") != nullptr;
}

// By any rank: the others may wait for it in a collective, and never know.
//   writer  rank 0's, for an output that ranks do not share; else null.
void report(const Failure& failure, const World& world, protocol::Writer* writer) {
  std::fprintf(stderr,
               "scalestudy: rank %d on %s: %s\n",
               world.rank(),
               world.host().c_str(),
               failure.message.c_str());
  const protocol::End end{.ok = false, .message = failure.message};
  try {
    const std::string path = output_path();
    std::error_code ignored;
    if (path != "-" && std::filesystem::is_regular_file(path, ignored)) {
      protocol::end_failed(path, failure.check, end);
    } else if (writer != nullptr) {
      if (failure.check) {
        writer->write(*failure.check);
      }
      writer->write(end);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scalestudy: the end event could not be written: %s\n", error.what());
  }
}

int finish_failed(const Failure& failure, const World& world, protocol::Writer* writer) {
  // Rank 0 speaks for all and takes the others along.
  if (failure.is_alike() && world.rank() != 0) {
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  report(failure, world, writer);
  if (has_launcher()) {
    MPI_Abort(MPI_COMM_WORLD, failure.exit_code);
  }
  MPI_Finalize();
  return failure.exit_code;
}

}  // namespace

int run_alone(const std::function<int(protocol::Writer* writer)>& body) {
  std::optional<protocol::Writer> writer;
  try {
    if (const std::string path = output_path(); !path.empty()) {
      writer.emplace(path);
    }
    return body(writer ? &*writer : nullptr);
  } catch (const std::exception& error) {
    const Failure failure = describe(error);
    std::fprintf(stderr, "scalestudy: %s\n", failure.message.c_str());
    if (writer) {
      writer->write(protocol::End{.ok = false, .message = failure.message});
    }
    return failure.exit_code;
  }
}

int run_program(int argc, char** argv, const Body& body) {
  flush_denormals();  // before MPI starts threads
  if (has_launcher()) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rank outlives mpirun, however that ends
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  const World world;
  std::optional<protocol::Writer> writer;
  try {
    if (const std::string path = output_path(); world.rank() == 0 && !path.empty()) {
      writer.emplace(path);
    }
    world.barrier();  // from here on the file is this run's
    const int code = body(world, writer ? &*writer : nullptr);
    MPI_Finalize();
    return code;
  } catch (const std::exception& error) {
    return finish_failed(describe(error), world, writer ? &*writer : nullptr);
  }
}

}  // namespace scalestudy::rank
