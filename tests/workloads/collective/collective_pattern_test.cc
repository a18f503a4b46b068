#include <limits>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/collective/layout.h"
#include "workloads/collective/pattern.h"

using namespace scalestudy;
using collective::count_wrong;
using comm::Operation;
using Buffers = std::vector<std::vector<float>>;  // [rank][element]

namespace {

constexpr int kRanks = 3;
constexpr std::size_t kParts = kRanks;
constexpr std::size_t kMessageBytes = kParts * 200 * sizeof(float);  // parts beyond the period

Buffers sent(Operation operation) {
  const auto layout = collective::layout_of(operation, kMessageBytes, kParts);
  Buffers send;
  for (int rank = 0; rank < kRanks; ++rank) {
    send.emplace_back(layout.send_count);
    collective::fill_send(send.back(), rank);
  }
  return send;
}

float sum_at(const Buffers& send, std::size_t index) {
  float sum = 0.0F;
  for (const auto& buffer : send) {
    sum += buffer[index];
  }
  return sum;
}

// What MPI's definition of the operation gives `rank`, element by element.
std::vector<float> delivered(Operation operation, const Buffers& send, std::size_t rank) {
  const auto layout = collective::layout_of(operation, kMessageBytes, kParts);
  std::vector<float> receive(layout.receive_count);
  const std::size_t part = layout.total_bytes / sizeof(float) / kParts;
  for (std::size_t i = 0; i < receive.size(); ++i) {
    switch (operation) {
      case Operation::kAllReduce:
        receive[i] = sum_at(send, i);
        break;
      case Operation::kAllGather:
        receive[i] = send[i / part][i % part];
        break;
      case Operation::kReduceScatter:
        receive[i] = sum_at(send, rank * part + i);
        break;
      case Operation::kBroadcast:
        receive[i] = send[0][i];
        break;
      case Operation::kSendRecv:
        receive[i] = send[(rank + kParts - 1) % kParts][i];
        break;
      case Operation::kAllToAll:
        receive[i] = send[i / part][rank * part + i % part];
        break;
      case Operation::kPingPong:  // in a test of its own
        break;
    }
  }
  return receive;
}

constexpr Operation kAll[] = {Operation::kAllReduce,
                              Operation::kAllGather,
                              Operation::kReduceScatter,
                              Operation::kBroadcast,
                              Operation::kSendRecv,
                              Operation::kAllToAll};

}  // namespace

TEST_CASE("what an operation delivers by definition has no wrong element", "[collective]") {
  for (const Operation operation : kAll) {
    const Buffers send = sent(operation);
    for (int rank = 0; rank < kRanks; ++rank) {
      CAPTURE(static_cast<int>(operation), rank);
      const auto receive = delivered(operation, send, static_cast<std::size_t>(rank));
      CHECK(count_wrong(operation, receive, send.front().size(), rank, kRanks) == 0);
    }
  }
}

TEST_CASE("every wrong, missing or exchanged element is counted", "[collective]") {
  for (const Operation operation : kAll) {
    CAPTURE(static_cast<int>(operation));
    const Buffers send = sent(operation);
    std::vector<float> receive = delivered(operation, send, 1);
    receive[3] += 1.0F;
    receive.back() = std::numeric_limits<float>::quiet_NaN();
    std::swap(receive[10], receive[11]);

    CHECK(count_wrong(operation, receive, send.front().size(), 1, kRanks) == 4);
  }
}

TEST_CASE("a ping-pong owes a rank what its peer sent, and without a peer nothing",
          "[collective]") {
  const Buffers send = sent(Operation::kPingPong);
  const auto wrong = [&](std::size_t data, int peer) {
    return count_wrong(Operation::kPingPong, send[data], send[data].size(), 0, kRanks, peer);
  };

  CHECK(wrong(2, 2) == 0);
  CHECK(wrong(1, 2) == send[1].size());
  CHECK(wrong(1, comm::kNoPeer) == 0);
}

TEST_CASE("the data of another rank is wrong throughout", "[collective]") {
  const Buffers send = sent(Operation::kSendRecv);

  CHECK(count_wrong(Operation::kSendRecv, send[1], send[1].size(), 1, kRanks) == send[1].size());
}

TEST_CASE("sums over as many ranks as the protocol allows are exact", "[collective]") {
  // 65536 ranks of at most 126: 8,257,536 < 2^24, below which float32 holds every integer.
  std::vector<float> value(127);
  collective::fill_send(value, 0);
  for (const float v : value) {
    CHECK(v <= 126.0F);
    CHECK(v == static_cast<float>(static_cast<int>(v)));
  }
}
