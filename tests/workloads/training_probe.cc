// Trains like scalestudy-train and shows what that does not: the parameters at the end, its
// collectives, allocations inside steps, and memory taken and estimated.
//
//   training_probe OUTPUT WIDTHS DROPOUT [flags of scalestudy-train] [--then OUTPUT ...]
//   training_probe --run RECORD PARAMETERS
//
// The second form is a trial of scalestudy-train: RECORD and PARAMETERS (JSON) are those that it
// gets from its environment.
// Trainings behind --then follow in the same processes, whose start takes longer than they do.
// Without arguments ranks stay and do what training_ranks.h sends them. WIDTHS "16,32,4" or a
// model's name. Rank r writes OUTPUT.r: "calls N", "bytes N" (of these calls), "traffic N" (bytes a
// rank has to send for them), "node_traffic N" (those of them that leave a node) and "planned N"
// (the same as the trainer says), "share N" (its samples of a batch), "syncs N" (files it wrote to
// storage before the first step), "allocations N", "peak N" and "estimate N" (bytes), "memory_PART
// N" and "calculated_PART N" (the same by what they are for, and in the host's memory beside it),
// then a line "loss X" a step (this rank's part) and a line "p X" a parameter. With
// SCALESTUDY_PROBE_REFERENCE in the environment it trains once more by reference_training.h and
// writes "reference_loss X" and "reference_p X". SCALESTUDY_PROBE_MACHINES, "0,1,1", has ranks
// believe that they run on several machines: the number of each rank's.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <mpi.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/workloads/reference_training.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/program.h"
#include "workloads/train/memory/memory.h"
#include "workloads/train/record/measured_shares.h"
#include "workloads/train/run.h"
#include "workloads/train/step/trainer.h"

namespace {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): MPI's functions count in them
std::atomic<long> call_count{0};
std::atomic<long> byte_count{0};

std::atomic<double> traffic{0.0};

// The part of it that leaves a node: of communicators that are neither all ranks nor consecutive
// ones.
std::atomic<double> node_traffic{0.0};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

int rank_count(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

// The world's rank of a communicator's.
int world_rank(MPI_Comm comm, int rank) {
  MPI_Group all{};
  MPI_Group some{};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(comm, &some);
  int found = -1;
  MPI_Group_translate_ranks(some, 1, &rank, all, &found);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  return found;
}

// parts   that the whole message has of `count` elements.
// passes  of the message over the ranks: an all-reduce takes two.
void count_call(MPI_Comm comm, long count, MPI_Datatype type, int parts, double passes) {
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  const long whole = count * bytes * parts;
  byte_count += whole;
  const int ranks = rank_count(comm);
  const double sent = passes * static_cast<double>(whole) * (ranks - 1.0) / ranks;
  traffic = traffic + sent;
  if (ranks < rank_count(MPI_COMM_WORLD) &&
      world_rank(comm, ranks - 1) - world_rank(comm, 0) >= ranks) {
    node_traffic = node_traffic + sent;
  }
  ++call_count;
}

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): operator new counts in it
std::atomic<long> allocation_count{0};

std::vector<std::size_t> parse_widths(const std::string& text) {
  std::vector<std::size_t> widths;
  std::istringstream stream(text);
  for (std::string width; std::getline(stream, width, ',');) {
    widths.push_back(std::stoul(width));
  }
  return widths;
}

}  // namespace

// MPI's profiling interface: the standard lets a program define these and call the PMPI ones.
extern "C" int MPI_Allreduce(const void* sendbuf,
                             void* recvbuf,
                             int count,
                             MPI_Datatype datatype,
                             MPI_Op op,
                             MPI_Comm comm) {
  count_call(comm, count, datatype, 1, 2.0);
  return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

extern "C" int MPI_Iallreduce(const void* sendbuf,
                              void* recvbuf,
                              int count,
                              MPI_Datatype datatype,
                              MPI_Op op,
                              MPI_Comm comm,
                              MPI_Request* request) {
  count_call(comm, count, datatype, 1, 2.0);
  return PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request);
}

extern "C" int MPI_Reduce_scatter_block(const void* sendbuf,
                                        void* recvbuf,
                                        int count,
                                        MPI_Datatype datatype,
                                        MPI_Op op,
                                        MPI_Comm comm) {
  count_call(comm, count, datatype, rank_count(comm), 1.0);
  return PMPI_Reduce_scatter_block(sendbuf, recvbuf, count, datatype, op, comm);
}

extern "C" int MPI_Ireduce_scatter_block(const void* sendbuf,
                                         void* recvbuf,
                                         int count,
                                         MPI_Datatype datatype,
                                         MPI_Op op,
                                         MPI_Comm comm,
                                         MPI_Request* request) {
  count_call(comm, count, datatype, rank_count(comm), 1.0);
  return PMPI_Ireduce_scatter_block(sendbuf, recvbuf, count, datatype, op, comm, request);
}

extern "C" int MPI_Allgather(const void* sendbuf,
                             int sendcount,
                             MPI_Datatype sendtype,
                             void* recvbuf,
                             int recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm) {
  count_call(comm, recvcount, recvtype, rank_count(comm), 1.0);
  return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

extern "C" int MPI_Iallgather(const void* sendbuf,
                              int sendcount,
                              MPI_Datatype sendtype,
                              void* recvbuf,
                              int recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              MPI_Request* request) {
  count_call(comm, recvcount, recvtype, rank_count(comm), 1.0);
  return PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

extern "C" int MPI_Reduce_scatter(const void* sendbuf,
                                  void* recvbuf,
                                  const int recvcounts[],
                                  MPI_Datatype datatype,
                                  MPI_Op op,
                                  MPI_Comm comm) {
  count_call(
      comm, std::accumulate(recvcounts, recvcounts + rank_count(comm), 0L), datatype, 1, 1.0);
  return PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm);
}

extern "C" int MPI_Allgatherv(const void* sendbuf,
                              int sendcount,
                              MPI_Datatype sendtype,
                              void* recvbuf,
                              const int recvcounts[],
                              const int displs[],
                              MPI_Datatype recvtype,
                              MPI_Comm comm) {
  count_call(
      comm, std::accumulate(recvcounts, recvcounts + rank_count(comm), 0L), recvtype, 1, 1.0);
  return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

namespace {

// A message to one rank.
void count_message(int count, MPI_Datatype datatype) {
  int bytes = 0;
  MPI_Type_size(datatype, &bytes);
  byte_count += static_cast<long>(count) * bytes;
  traffic = traffic + static_cast<double>(count) * bytes;
  ++call_count;
}

}  // namespace

extern "C" int MPI_Isend(const void* buf,
                         int count,
                         MPI_Datatype datatype,
                         int dest,
                         int tag,
                         MPI_Comm comm,
                         MPI_Request* request) {
  count_message(count, datatype);
  return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
}

// The stand-in for NCCL calls it.
extern "C" int MPI_Issend(const void* buf,
                          int count,
                          MPI_Datatype datatype,
                          int dest,
                          int tag,
                          MPI_Comm comm,
                          MPI_Request* request) {
  count_message(count, datatype);
  return PMPI_Issend(buf, count, datatype, dest, tag, comm, request);
}

extern "C" int MPI_Query_thread(int* provided) {
  const char* threads = std::getenv("SCALESTUDY_PROBE_THREADS");
  if (threads != nullptr && *threads == '0') {
    *provided = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
  }
  return PMPI_Query_thread(provided);
}

namespace {

// Of this rank, in SCALESTUDY_PROBE_MACHINES, "0,1,1"; -1 without it.
int own_machine() {
  const char* machines = std::getenv("SCALESTUDY_PROBE_MACHINES");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return machines == nullptr
             ? -1
             : static_cast<int>(parse_widths(machines)[static_cast<std::size_t>(rank)]);
}

}  // namespace

extern "C" int MPI_Comm_split_type(
    MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* some) {
  const int machine = own_machine();
  return machine < 0 ? PMPI_Comm_split_type(comm, type, key, info, some)
                     : PMPI_Comm_split(comm, machine, key, some);
}

extern "C" int MPI_Get_processor_name(char* name, int* length) {
  const int machine = own_machine();
  if (machine < 0) {
    return PMPI_Get_processor_name(name, length);
  }
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "machine%d", machine);
  return MPI_SUCCESS;
}

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): fsync() counts in it
std::atomic<int> sync_count{0};

}  // namespace

extern "C" int fsync(int fd) {
  ++sync_count;
  return static_cast<int>(syscall(SYS_fsync, fd));
}

// Ranks that wait leave their core to those that compute (OMPI_MCA_mpi_yield_when_idle), which on a
// free core they would keep busy.
extern "C" int sched_yield() noexcept {
  const timespec moment{.tv_sec = 0, .tv_nsec = 1000};
  // Not nanosleep(), which a stepped clock replaces.
  return static_cast<int>(syscall(SYS_nanosleep, &moment, nullptr));
}

// NOLINTBEGIN(cppcoreguidelines-no-malloc): what new and delete stand on
void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
// AddressSanitizer's own would not be freed by the deletes below.
void* operator new(std::size_t size, const std::nothrow_t& /*nothrow*/) noexcept {
  ++allocation_count;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)

namespace scalestudy::test {
namespace {

// arguments  OUTPUT WIDTHS DROPOUT [flags]
void train_once(const rank::World& world, std::span<const char* const> arguments) {
  const std::string widths = arguments[1];
  train::Options options = train::make_options(
      train::complete(train::merge({}, train::parse_flags(arguments.subspan(3))), world.size()));
  if (widths.find(',') != std::string::npos) {
    options.model = {"probe", model::MlpSpec{parse_widths(widths), std::stod(arguments[2])}};
  }
  if (const char* precision = std::getenv("SCALESTUDY_PROBE_PRECISION")) {
    options.precision =
        std::string(precision) == "fp16" ? train::Precision::kFp16 : train::Precision::kBf16;
  }
  std::FILE* file = std::fopen((arguments[0] + ("." + std::to_string(world.rank()))).c_str(), "w");
  const auto write = [&](const char* key, const std::vector<double>& values) {
    for (const double value : values) {
      std::fprintf(file, "%s %a\n", key, value);  // twice as fast as digits
    }
  };
  const int syncs_before = sync_count;
  train::share_by_speed(options, world, train::make_trainer);
  const auto trainer = train::make_trainer(options, world);
  const train::Options own = train::for_rank(options, static_cast<std::size_t>(world.rank()));
  const train::Memory estimate = train::estimate_memory(own);

  std::fprintf(file, "syncs %d\n", sync_count - syncs_before);
  trainer->step(0);  // libraries may allocate in their first call
  const long calls_before = call_count;
  const long bytes_before = byte_count;
  const double traffic_before = traffic;
  const double node_traffic_before = node_traffic;
  const long allocations_before = allocation_count;
  for (std::size_t i = 1; i < options.measured_steps; ++i) {
    trainer->step(i);
  }
  const long calls = call_count - calls_before;
  const long bytes = byte_count - bytes_before;
  const long allocations = allocation_count - allocations_before;

  write("traffic", {traffic - traffic_before});
  write("node_traffic", {node_traffic - node_traffic_before});
  write("planned", {static_cast<double>(trainer->traffic_bytes() * (options.measured_steps - 1))});
  std::fprintf(file, "share %zu\n", own.batch_per_device);
  std::fprintf(file, "calls %ld\nbytes %ld\nallocations %ld\n", calls, bytes, allocations);
  std::fprintf(file, "peak %zu\nestimate %zu\n", trainer->memory().total(), estimate.total());
  std::fprintf(
      file, "memory_host %zu\ncalculated_host %zu\n", trainer->memory().host, estimate.host);
  for (const auto& [part, taken] : train::parts_of(trainer->memory())) {
    std::fprintf(file, "memory_%s %zu\n", part.c_str(), taken);
  }
  for (const auto& [part, taken] : train::parts_of(estimate)) {
    std::fprintf(file, "calculated_%s %zu\n", part.c_str(), taken);
  }
  for (const train::StepTimes& step : trainer->finish().times) {
    write("loss", {step[train::kLoss]});
  }
  write("p", trainer->parameters());
  if (std::getenv("SCALESTUDY_PROBE_REFERENCE") != nullptr) {
    const ReferenceTraining reference = train_reference(options, world);
    write("reference_loss", reference.losses);
    write("reference_p", reference.parameters);
  }
  std::fclose(file);
}

// - arguments: --run RECORD PARAMETERS
void run_trial(const rank::World& world, std::span<const char* const> arguments) {
  setenv("SCALESTUDY_PARAMETERS", arguments[2], 1);  // NOLINT(concurrency-mt-unsafe): one thread
  std::optional<protocol::Writer> writer;
  if (world.rank() == 0) {
    writer.emplace(arguments[1]);
  }
  if (train::run(train::merge(flags::environment(), {}), world, writer ? &*writer : nullptr) !=
      protocol::kExitOk) {
    throw std::runtime_error("a check of the trial failed");
  }
}

void train_each(const rank::World& world, std::span<const char* const> all) {
  if (all.front() == std::string_view("--run")) {
    run_trial(world, all);
    return;
  }
  for (auto begin = all.begin(); begin < all.end();) {
    const auto end = std::find(begin, all.end(), std::string_view("--then"));
    train_once(world, {begin, end});
    begin = end == all.end() ? end : end + 1;
  }
}

// Trains by files 0, 1, ... of the folder, whose lines are the arguments, and answers each with an
// empty file NUMBER.RANK, until the folder or the process that made it is gone. No rank waits in
// MPI, where it would take a core.
void serve(const rank::World& world, const std::filesystem::path& folder, pid_t owner) {
  for (int number = 0;; ++number) {
    const std::string request = folder / std::to_string(number);
    while (!std::filesystem::exists(request)) {
      if (!std::filesystem::exists(folder) || kill(owner, 0) != 0) {
        return;
      }
      usleep(1000);
    }
    std::vector<std::string> lines;
    std::ifstream text(request);
    for (std::string line; std::getline(text, line);) {
      lines.push_back(line);
    }
    std::vector<const char*> arguments;
    for (const std::string& line : lines) {
      arguments.push_back(line.c_str());
    }
    train_each(world, arguments);
    std::ofstream(request + "." + std::to_string(world.rank()));
  }
}

}  // namespace
}  // namespace scalestudy::test

int main(int argc, char** argv) {
  using namespace scalestudy;
  return rank::run_program(argc, argv, [&](const rank::World& world, protocol::Writer*) {
    if (argc == 1) {
      test::serve(world,
                  std::getenv("SCALESTUDY_PROBE_REQUESTS"),
                  // NOLINTNEXTLINE(clang-analyzer-cplusplus.StringChecker): who asks sets both
                  std::stoi(std::getenv("SCALESTUDY_PROBE_OWNER")));
    } else {
      test::train_each(world, {argv + 1, argv + argc});
    }
    return 0;
  });
}
