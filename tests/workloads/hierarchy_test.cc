// All-reduce by nodes: within them, over them, within them.
#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Probe;
using test::relative_difference;
using Flags = std::vector<std::string>;

namespace {

std::vector<Probe> train(int ranks, const std::string& model, const Flags& more) {
  Flags flags = test::flags_of(model);
  flags.insert(
      flags.end(),
      {"--batch-global=16", "--measured-steps=5", "--bucket-mb=0.02", "--first-bucket-mb=0.01"});
  flags.insert(flags.end(), more.begin(), more.end());
  return test::train(ranks, test::network_of(model), flags);
}

}  // namespace

TEST_CASE("sums over nodes are those over all ranks in fp64", "[train]") {
  const std::string model = GENERATE("mlp", "gpt-tiny");
  const auto [ranks, node_ranks] = GENERATE(table<int, std::string>(
      {{1, "1"}, {2, "0"}, {2, "1"}, {2, "2"}, {4, "1"}, {4, "2"}, {4, "4"}}));
  const std::string overlap = GENERATE("none", "thread");
  CAPTURE(model, ranks, node_ranks, overlap);
  const Flags flags = {"--precision=fp64", "--overlap=" + overlap};
  Flags by_nodes = flags;
  by_nodes.insert(by_nodes.end(),
                  {"--allreduce=hierarchical", "--virtual-node-ranks=" + node_ranks});

  const Probe flat = train(ranks, model, flags).front();
  const std::vector<Probe> probes = train(ranks, model, by_nodes);

  for (const Probe& probe : probes) {
    CHECK(relative_difference(flat.parameters, probe.parameters) <= 1e-12);
    CHECK(probe.parameters == probes.front().parameters);
    CHECK(probe.memory == probe.calculated);
    CHECK(probe.allocations == 0);
  }
}

// n nodes of g ranks: 2 (g-1)/g of S bytes within a node, 2 (n-1)/n of S/g over nodes, which is as
// much together as 2 (N-1)/N of S. Here n = g = 2 and S is all gradients, in fp32: tensors of the
// network are padded to 128 bytes. Shares of a bucket differ by an element at most.
TEST_CASE("of two nodes of two ranks half a gradient leaves each rank for the other node",
          "[train]") {
  const Flags flags = {"--allreduce=hierarchical", "--virtual-node-ranks=2"};
  const double bytes = 4.0 * (24 * 40 + 64 + 40 * 17 + 24 + 32 + 17 * 8 + 24 + 32);

  const Probe flat = train(4, "mlp", {}).front();
  const std::vector<Probe> probes = train(4, "mlp", flags);

  const double steps = 4.0;
  double leaves = 0.0;
  for (const Probe& probe : probes) {
    CHECK(probe.traffic == Approx(flat.traffic).epsilon(0.01));
    leaves += probe.node_traffic / 4.0;
  }
  CHECK(leaves == Approx(0.25 * flat.traffic / 0.75 / 2.0 * 2.0).epsilon(1e-3));
  CHECK(leaves == Approx(steps * 0.5 * bytes).epsilon(0.05));
  CHECK(flat.node_traffic == 0.0);
}

// Of a bucket's first four elements each rank of a node has two, and sums them over nodes.
TEST_CASE("the control of single elements makes all operations of a sum over nodes", "[train]") {
  for (const Probe& probe : train(
           4, "mlp", {"--allreduce=hierarchical", "--virtual-node-ranks=2", "--payload=element"})) {
    CHECK(probe.node_traffic > 0.0);
  }
}

TEST_CASE("gradients that travel as bf16 may be summed over nodes", "[train]") {
  const Flags rounded = {"--comm-dtype=bf16"};
  Flags by_nodes = rounded;
  by_nodes.insert(by_nodes.end(), {"--allreduce=hierarchical", "--virtual-node-ranks=2"});

  const Probe flat = train(4, "mlp", rounded).front();
  const std::vector<Probe> probes = train(4, "mlp", by_nodes);

  CHECK(relative_difference(flat.parameters, probes[0].parameters) <= 1e-2);
  CHECK(probes[0].parameters == probes[3].parameters);
}
