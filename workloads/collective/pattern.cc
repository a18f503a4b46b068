#include "workloads/collective/pattern.h"

#include <array>

namespace scalestudy::collective {
namespace {

using comm::Operation;

constexpr std::size_t kPeriod = 127;
constexpr std::size_t kRankStep = 31;

std::size_t phase(int rank) {
  return static_cast<std::size_t>(rank) * kRankStep % kPeriod;
}

float value(std::size_t index, int rank) {
  return static_cast<float>((index + phase(rank)) % kPeriod);
}

// Sums over the ranks; they have the same period.
std::array<float, kPeriod> make_sums(int ranks) {
  std::array<float, kPeriod> sums{};
  for (std::size_t i = 0; i < kPeriod; ++i) {
    for (int rank = 0; rank < ranks; ++rank) {
      sums[i] += value(i, rank);
    }
  }
  return sums;
}

// expected  element index -> value.
template <typename Expected>
std::size_t count_unequal(std::span<const float> receive, const Expected& expected) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < receive.size(); ++i) {
    wrong += receive[i] == expected(i) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

void fill_send(std::span<float> send, int rank) {
  for (std::size_t i = 0; i < send.size(); ++i) {
    send[i] = value(i, rank);
  }
}

std::size_t count_wrong(Operation operation,
                        std::span<const float> receive,
                        std::size_t send_count,
                        int rank,
                        int ranks,
                        int peer) {
  const auto own = static_cast<std::size_t>(rank);
  switch (operation) {
    case Operation::kAllReduce:
    case Operation::kReduceScatter: {
      const std::array<float, kPeriod> sums = make_sums(ranks);
      const std::size_t first = operation == Operation::kAllReduce ? 0 : own * receive.size();
      return count_unequal(receive, [&](std::size_t i) { return sums[(first + i) % kPeriod]; });
    }
    case Operation::kAllGather:
      return count_unequal(receive, [&](std::size_t i) {
        return value(i % send_count, static_cast<int>(i / send_count));
      });
    case Operation::kBroadcast:
      return rank == 0 ? 0 : count_unequal(receive, [](std::size_t i) { return value(i, 0); });
    case Operation::kSendRecv:
      return count_unequal(receive,
                           [&](std::size_t i) { return value(i, (rank + ranks - 1) % ranks); });
    case Operation::kAllToAll: {
      const std::size_t part = send_count / static_cast<std::size_t>(ranks);
      return count_unequal(receive, [&](std::size_t i) {
        return value(own * part + i % part, static_cast<int>(i / part));
      });
    }
    case Operation::kPingPong:
      return peer == comm::kNoPeer
                 ? 0
                 : count_unequal(receive, [&](std::size_t i) { return value(i, peer); });
  }
  return receive.size();
}

}  // namespace scalestudy::collective
