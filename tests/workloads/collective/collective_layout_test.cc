#include <string>

#include "tests/support/catch.h"
#include "workloads/collective/layout.h"
#include "workloads/collective/options.h"
#include "workloads/rank/error.h"

using namespace scalestudy;
using collective::layout_of;
using comm::Operation;

TEST_CASE("only one buffer of all-gather and reduce-scatter is as large as the message",
          "[collective]") {
  CHECK(layout_of(Operation::kAllReduce, 64, 4).send_count == 16);
  CHECK(layout_of(Operation::kAllReduce, 64, 4).receive_count == 16);
  CHECK(layout_of(Operation::kAllGather, 64, 4).send_count == 4);
  CHECK(layout_of(Operation::kAllGather, 64, 4).receive_count == 16);
  CHECK(layout_of(Operation::kReduceScatter, 64, 4).send_count == 16);
  CHECK(layout_of(Operation::kReduceScatter, 64, 4).receive_count == 4);
  CHECK(layout_of(Operation::kAllToAll, 64, 4).send_count == 16);
  CHECK(layout_of(Operation::kAllToAll, 64, 4).receive_count == 16);
}

TEST_CASE("every word of the parameter operation is an operation that the program reads",
          "[collective]") {
  for (const names::OperationInfo& one : names::kOperationTable) {
    if (one.operation) {
      CAPTURE(one.name);
      const auto texts = flags::merge("collective", {}, {{"operation", std::string(one.name)}});
      CHECK(collective::make_options(texts).operation == *one.operation);
    }
  }
}

TEST_CASE("bus bandwidth factors are those of nccl-tests", "[collective]") {
  // github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md, n = 4: 2 * 3/4, 3/4, and 1.
  CHECK(layout_of(Operation::kAllReduce, 64, 4).busbw_factor == 1.5);
  CHECK(layout_of(Operation::kAllGather, 64, 4).busbw_factor == 0.75);
  CHECK(layout_of(Operation::kReduceScatter, 64, 4).busbw_factor == 0.75);
  CHECK(layout_of(Operation::kAllToAll, 64, 4).busbw_factor == 0.75);
  CHECK(layout_of(Operation::kBroadcast, 64, 4).busbw_factor == 1.0);
  CHECK(layout_of(Operation::kSendRecv, 64, 4).busbw_factor == 1.0);
}

TEST_CASE("the time of a ping-pong is that of one way, and halves add up their pairs",
          "[collective]") {
  CHECK(layout_of(Operation::kPingPong, 63, 4).total_bytes == 60);
  CHECK(layout_of(Operation::kPingPong, 64, 4).trips == 2.0);
  CHECK(layout_of(Operation::kAllReduce, 64, 4).trips == 1.0);
  CHECK(layout_of(Operation::kPingPong, 64, 4).busbw_factor == 1.0);
  CHECK(layout_of(Operation::kPingPong, 64, 4, 2).busbw_factor == 2.0);
}

TEST_CASE("a message is rounded down to whole elements, and to equal parts where it is split",
          "[collective]") {
  CHECK(layout_of(Operation::kAllReduce, 63, 3).total_bytes == 60);
  CHECK(layout_of(Operation::kBroadcast, 63, 3).total_bytes == 60);
  CHECK(layout_of(Operation::kAllGather, 63, 3).total_bytes == 60);
  CHECK(layout_of(Operation::kAllToAll, 71, 3).total_bytes == 60);
}

TEST_CASE("a call names the part that each rank adds or gets, and of all-to-all what one peer gets",
          "[collective]") {
  // As MPI and NCCL count: sendcount of all-gather and all-to-all, recvcount of reduce-scatter.
  CHECK(comm::part_count(Operation::kAllReduce, 12, 12, 3) == 12);
  CHECK(comm::part_count(Operation::kAllGather, 4, 12, 3) == 4);
  CHECK(comm::part_count(Operation::kReduceScatter, 12, 4, 3) == 4);
  CHECK(comm::part_count(Operation::kBroadcast, 12, 12, 3) == 12);
  CHECK(comm::part_count(Operation::kSendRecv, 12, 12, 3) == 12);
  CHECK(comm::part_count(Operation::kAllToAll, 12, 12, 3) == 4);
}

TEST_CASE("a message too small for its parts is a usage error that says how large it must be",
          "[collective]") {
  CHECK(layout_of(Operation::kAllGather, 16, 4).send_count == 1);
  try {
    layout_of(Operation::kAllGather, 15, 4);
    FAIL("accepted");
  } catch (const rank::WorkloadError& error) {
    CHECK(error.exit_code() == 2);
    CHECK(std::string(error.what()).find("at least 16") != std::string::npos);
  }
}
