// The operations over all ranks that programs time. One row of the table says what parameters,
// `collective`, imports, the audit and the analysis know of one; doing it: workloads/comm.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace scalestudy::names {

// Those that `collective` times.
enum class Operation {
  kAllReduce,      // every rank receives the sum over ranks
  kAllGather,      // every rank receives all parts, in order of rank
  kReduceScatter,  // every rank receives its part of the sum
  kBroadcast,      // every rank but 0 receives what rank 0 sends
  kSendRecv,       // every rank sends to the next and receives from the previous one, in a ring
  kAllToAll,       // every rank receives part `rank` of what each rank sends, in order of rank
  kPingPong,       // the lower rank of a pair sends to the other, which then sends back; ranks of
                   // no pair do nothing
};

// How much of a message each link of a ring of the ranks carries.
enum class Travel {
  kWhole,  // all of it
  kParts,  // all but one of its parts; it has one for each rank
  kTwice,  // twice as much: parts on their way to be summed, and their sums
  kPairs,  // all of it, for each pair that sends at the same time
};

struct OperationInfo {
  std::string_view name;
  std::optional<Operation> operation{};  // absent: only other programs time it
  Travel travel = Travel::kWhole;
  std::string_view mpi_name{};  // as variables of Open MPI call it; empty for messages

  // Whether the message has equal parts, one for each rank.
  constexpr bool is_split() const { return travel == Travel::kParts; }

  // Bus bandwidth over algorithm bandwidth of so many ranks, at least 1.
  // - pairs: those of a ping-pong that send at the same time.
  // - source: github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md
  constexpr double bus_factor(double ranks, double pairs = 1.0) const {
    switch (travel) {
      case Travel::kParts:
        return (ranks - 1.0) / ranks;
      case Travel::kTwice:
        return 2.0 * ((ranks - 1.0) / ranks);
      case Travel::kPairs:
        return pairs;
      case Travel::kWhole:
        break;
    }
    return 1.0;
  }
};

// Those of the enum first, in its order.
inline constexpr auto kOperationTable = std::to_array<OperationInfo>({
    {"all_reduce", Operation::kAllReduce, Travel::kTwice, "allreduce"},
    {"all_gather", Operation::kAllGather, Travel::kParts, "allgather"},
    {"reduce_scatter", Operation::kReduceScatter, Travel::kParts, "reduce_scatter_block"},
    {"broadcast", Operation::kBroadcast, Travel::kWhole, "bcast"},
    {"send_recv", Operation::kSendRecv},
    {"all_to_all", Operation::kAllToAll, Travel::kParts, "alltoall"},
    {"ping_pong", Operation::kPingPong, Travel::kPairs},
    {.name = "gather", .travel = Travel::kParts},
    {.name = "scatter", .travel = Travel::kParts},
    {.name = "reduce"},
});

constexpr const OperationInfo& info_of(Operation operation) {
  return kOperationTable.at(static_cast<std::size_t>(operation));
}

// The letters of a name, in lower case.
inline std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters;
}

// The row of that name, nullptr if there is none. Programs and publications spell names in several
// ways: "alltoall" and "All-to-All" are all_to_all.
inline const OperationInfo* find_operation(std::string_view name) {
  const auto* found =
      std::ranges::find(kOperationTable, letters_of(name), [](const OperationInfo& one) {
        return letters_of(one.name);
      });
  return found == kOperationTable.end() ? nullptr : found;
}

}  // namespace scalestudy::names
