// The table of operations, and the parameter that has its names.
#include "workloads/names/operations.h"

#include "tests/support/catch.h"
#include "workloads/parameters/parameters.h"

using namespace scalestudy;
using names::find_operation;
using names::kOperationTable;
using names::Operation;
using names::OperationInfo;

TEST_CASE("the words of the parameter operation are the operations that collective times",
          "[protocol]") {
  const protocol::ParameterInfo* parameter = protocol::find_parameter("collective", "operation");
  REQUIRE(parameter != nullptr);

  std::string words;
  for (const OperationInfo& one : kOperationTable) {
    CAPTURE(one.name);
    CHECK(find_operation(one.name) == &one);
    CHECK(check_parameter(*parameter, one.name).empty() == one.operation.has_value());
    words += !one.operation ? "" : (words.empty() ? "" : "|") + std::string(one.name);
  }
  CHECK(parameter->allowed == words);
}

TEST_CASE("every operation that collective times has its row", "[protocol]") {
  for (int number = 0; number <= static_cast<int>(Operation::kPingPong); ++number) {
    CAPTURE(number);
    const auto operation = static_cast<Operation>(number);
    CHECK(names::info_of(operation).operation == operation);
  }
}

TEST_CASE("bus factors are those that nccl-tests documents", "[protocol]") {
  // github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md
  for (const double n : {1.0, 2.0, 3.0, 8.0}) {
    CAPTURE(n);
    const auto factor = [&](std::string_view name) { return find_operation(name)->bus_factor(n); };
    CHECK(factor("all_reduce") == Approx(2.0 * (n - 1.0) / n));
    for (const char* name : {"all_gather", "reduce_scatter", "all_to_all", "gather", "scatter"}) {
      CAPTURE(name);
      CHECK(factor(name) == Approx((n - 1.0) / n));
    }
    for (const char* name : {"broadcast", "reduce", "send_recv", "ping_pong"}) {
      CAPTURE(name);
      CHECK(factor(name) == 1.0);
    }
  }
  CHECK(find_operation("ping_pong")->bus_factor(8.0, 4.0) == 4.0);
}

TEST_CASE("an operation is found in any spelling", "[protocol]") {
  for (const char* name : {"alltoall", "AllToAll", "All-to-All", "all to all"}) {
    CAPTURE(name);
    CHECK(find_operation(name) == find_operation("all_to_all"));
  }
  CHECK(find_operation("sendrecv")->name == "send_recv");
  for (const char* name : {"", "all", "hypercube", "all_reduce_bias"}) {
    CAPTURE(name);
    CHECK(find_operation(name) == nullptr);
  }
}
