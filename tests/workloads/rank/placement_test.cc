#include "workloads/comm/placement.h"

#include <cstdlib>

#include "tests/support/catch.h"

using namespace scalestudy;
using comm::Placement;

TEST_CASE("ranks with a GPU each share none", "[comm]") {
  const std::vector<Placement> placements = {
      {"a", "0000:01:00.0"}, {"a", "0000:02:00.0"}, {"b", "0000:01:00.0"}};

  CHECK_FALSE(comm::find_shared_device(placements));
}

TEST_CASE("two ranks on one GPU are named, with advice", "[comm]") {
  const std::vector<Placement> placements = {
      {"a", "0000:01:00.0"}, {"a", "0000:02:00.0"}, {"a", "0000:02:00.0"}};

  const auto advice = comm::find_shared_device(placements);

  REQUIRE(advice);
  CHECK(advice->find("ranks 1 and 2 share GPU 0000:02:00.0 of a") == 0);
  CHECK(advice->find("NCCL_HOSTID") != std::string::npos);
}

TEST_CASE("a NCCL_HOSTID of its own makes a rank a node of its own", "[comm]") {
  unsetenv("NCCL_HOSTID");
  const Placement plain = comm::placement_of("a", "0000:01:00.0");
  setenv("NCCL_HOSTID", "vnode1", 1);
  const Placement virtual_node = comm::placement_of("a", "0000:01:00.0");
  unsetenv("NCCL_HOSTID");

  CHECK(plain.node == "a");
  CHECK(virtual_node.node == "vnode1");
  CHECK_FALSE(comm::find_shared_device(std::vector<Placement>{plain, virtual_node}));
}

TEST_CASE("a rank's node is that of its first rank, in whatever order ranks lie", "[comm]") {
  const std::vector<Placement> placements = {{"a", ""}, {"b", ""}, {"b", ""}, {"a", ""}};

  CHECK(comm::find_node(placements, 0) == 0);
  CHECK(comm::find_node(placements, 1) == 1);
  CHECK(comm::find_node(placements, 2) == 1);
  CHECK(comm::find_node(placements, 3) == 0);
}

TEST_CASE("nodes of different sizes are refused, with what to use", "[comm]") {
  const std::vector<Placement> placements = {{"a", ""}, {"b", ""}, {"b", ""}};

  CHECK_THROWS_WITH(comm::find_node(placements, 0),
                    "allreduce hierarchical needs as many ranks on every node, but nodes have from "
                    "1 to 2; use flat");
}
