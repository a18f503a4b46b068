#include "workloads/rank/world.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <mpi.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::rank {
namespace {

// To be freed. Of the ranks on this one's machine, in their order.
MPI_Comm machine_ranks(int rank) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_CHECK(
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine));
  return machine;
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
  MPI_Comm machine = machine_ranks(rank_);
  MPI_CHECK(MPI_Comm_size(machine, &local_size_));
  MPI_CHECK(MPI_Comm_rank(machine, &local_rank_));
  MPI_CHECK(MPI_Comm_free(&machine));
  const int is_first = local_rank_ == 0 ? 1 : 0;
  MPI_CHECK(MPI_Allreduce(&is_first, &node_count_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_CHECK(MPI_Get_processor_name(name.data(), &length));
  host_ = name.data();
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): a World shows that MPI runs
void World::barrier() const {
  MPI_CHECK(MPI_Barrier(MPI_COMM_WORLD));
}

bool World::is_oversubscribed(const CoreUse& own) const {
  std::vector<int> sent = own.cores;
  sent.push_back(own.threads);
  const int size = static_cast<int>(sent.size());
  std::vector<int> sizes(static_cast<std::size_t>(local_size_));
  MPI_Comm machine = machine_ranks(rank_);
  MPI_CHECK(MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, machine));
  std::vector<int> begins(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::vector<int> all(static_cast<std::size_t>(begins.back() + sizes.back()));
  MPI_CHECK(MPI_Allgatherv(
      sent.data(), size, MPI_INT, all.data(), sizes.data(), begins.data(), MPI_INT, machine));
  MPI_CHECK(MPI_Comm_free(&machine));
  std::vector<CoreUse> ranks;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto cores = all.begin() + begins[i];
    const auto end = cores + sizes[i] - 1;
    ranks.push_back({*end, {cores, end}});
  }
  return min_max(is_crowded(ranks) ? 1 : 0).second != 0;
}

bool World::is_first_of_machine(bool is_asked) const {
  const int own = is_asked ? 1 : 0;
  int until_own = 0;
  MPI_Comm machine = machine_ranks(rank_);
  MPI_CHECK(MPI_Scan(&own, &until_own, 1, MPI_INT, MPI_SUM, machine));
  MPI_CHECK(MPI_Comm_free(&machine));
  return is_asked && until_own == 1;
}

int World::affinity_cores() const {
  return static_cast<int>(min_max(cores_.size()).first);
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
