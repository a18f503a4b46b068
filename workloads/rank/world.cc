#include "workloads/rank/world.h"

#include <algorithm>
#include <array>

#include <mpi.h>
#include <unistd.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/affinity.h"
#include "workloads/rank/error.h"

namespace scalestudy::rank {
namespace {

int machine_cores() {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

int core_count(const std::vector<int>& cores) {
  return cores.empty() ? machine_cores() : static_cast<int>(cores.size());
}

}  // namespace

void check_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw WorkloadError(protocol::kExitFailed, std::string(call) + ": " + text.data());
}

World::World() : cores_(own_cores()) {
  MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
  MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size_));
  MPI_Comm node = MPI_COMM_NULL;
  MPI_CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node));
  MPI_CHECK(MPI_Comm_size(node, &local_size_));
  MPI_CHECK(MPI_Comm_rank(node, &local_rank_));
  MPI_CHECK(MPI_Comm_free(&node));
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_CHECK(MPI_Get_processor_name(name.data(), &length));
  host_ = name.data();
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): a World shows that MPI runs
void World::barrier() const {
  MPI_CHECK(MPI_Barrier(MPI_COMM_WORLD));
}

bool World::is_oversubscribed(int threads) const {
  const bool is_crowded = threads > core_count(cores_) || local_size_ * threads > machine_cores();
  return min_max(is_crowded ? 1 : 0).second != 0;
}

int World::affinity_cores() const {
  return static_cast<int>(min_max(static_cast<std::uint64_t>(core_count(cores_))).first);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): a World shows that MPI runs
std::pair<std::uint64_t, std::uint64_t> World::min_max(std::uint64_t value) const {
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
  MPI_CHECK(MPI_Allreduce(&value, &smallest, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD));
  MPI_CHECK(MPI_Allreduce(&value, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD));
  return {smallest, largest};
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): a World shows that MPI runs
void World::minimum(std::span<double> values) const {
  // In parts: MPI counts elements in an int.
  constexpr std::size_t part = std::size_t{1} << 24U;
  for (std::size_t begin = 0; begin < values.size(); begin += part) {
    const std::span<double> some = values.subspan(begin, std::min(part, values.size() - begin));
    MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE,
                            some.data(),
                            static_cast<int>(some.size()),
                            MPI_DOUBLE,
                            MPI_MIN,
                            MPI_COMM_WORLD));
  }
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): a World shows that MPI runs
void World::send_from_root(std::span<std::byte> bytes) const {
  MPI_CHECK(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, MPI_COMM_WORLD));
}

void World::send_to_root(std::span<double> values, int from) const {
  const int count = static_cast<int>(values.size());
  if (from == 0) {
    return;
  }
  if (rank_ == from) {
    MPI_CHECK(MPI_Send(values.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD));
  } else if (rank_ == 0) {
    MPI_CHECK(
        MPI_Recv(values.data(), count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_CHECK(MPI_Get_library_version(text.data(), &length));
  const std::string whole = text.data();
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace scalestudy::rank
