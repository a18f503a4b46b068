// All-reduce by nodes: within them, over them, within them.
#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Flags;
using test::Probe;
using test::relative_difference;
using test::with;

namespace {

// Each of the trainings, in one launch.
std::vector<std::vector<Probe>> train_each_by_nodes(int ranks,
                                                    const std::string& model,
                                                    const std::vector<Flags>& trainings) {
  std::vector<Flags> flags;
  for (const Flags& more : trainings) {
    flags.push_back(with(with(test::flags_of(model),
                              {"--batch-global=16",
                               "--measured-steps=5",
                               "--bucket-mb=0.02",
                               "--first-bucket-mb=0.01"}),
                         more));
  }
  return test::train_each(ranks, test::network_of(model), flags);
}

std::vector<Probe> train_by_nodes(int ranks, const std::string& model, const Flags& more) {
  return train_each_by_nodes(ranks, model, {more}).front();
}

}  // namespace

TEST_CASE("sums over nodes are those over all ranks in fp64", "[train][slow]") {
  const std::string model = GENERATE("mlp", "gpt-tiny");
  const auto [ranks, nodes_of] =
      GENERATE(table<int, Flags>({{1, {"1"}}, {2, {"0", "1", "2"}}, {4, {"1", "2", "4"}}}));
  const std::string overlap = GENERATE("none", "thread");
  const Flags flags = {"--precision=fp64", "--overlap=" + overlap};
  std::vector<Flags> trainings = {flags};
  for (const std::string& node_ranks : nodes_of) {
    trainings.push_back(
        with(flags, {"--allreduce=hierarchical", "--virtual-node-ranks=" + node_ranks}));
  }

  const std::vector<std::vector<Probe>> ends = train_each_by_nodes(ranks, model, trainings);

  const Probe& flat = ends.front().front();
  for (std::size_t i = 1; i < ends.size(); ++i) {
    CAPTURE(model, ranks, nodes_of[i - 1], overlap);
    for (const Probe& probe : ends[i]) {
      CHECK(relative_difference(flat.parameters, probe.parameters) <= 1e-12);
      CHECK(probe.parameters == ends[i].front().parameters);
      CHECK(probe.memory == probe.calculated);
      CHECK(probe.allocations == 0);
    }
  }
}

// n nodes of g ranks: 2 (g-1)/g of S bytes within a node, 2 (n-1)/n of S/g over nodes, which is as
// much together as 2 (N-1)/N of S. Here n = g = 2 and S is all gradients, in fp32: tensors of the
// network are padded to 128 bytes. Shares of a bucket differ by an element at most.
TEST_CASE("of two nodes of two ranks half a gradient leaves each rank for the other node",
          "[train]") {
  const Flags flags = {"--allreduce=hierarchical", "--virtual-node-ranks=2"};
  const double bytes = 4.0 * (24 * 40 + 64 + 40 * 17 + 24 + 32 + 17 * 8 + 24 + 32);

  const Probe flat = train_by_nodes(4, "mlp", {}).front();
  const std::vector<Probe> probes = train_by_nodes(4, "mlp", flags);

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
  for (const Probe& probe : train_by_nodes(
           4, "mlp", {"--allreduce=hierarchical", "--virtual-node-ranks=2", "--payload=element"})) {
    CHECK(probe.node_traffic > 0.0);
  }
}

TEST_CASE("gradients that travel as bf16 may be summed over nodes", "[train]") {
  const Flags rounded = {"--comm-dtype=bf16"};

  const auto ends = train_each_by_nodes(
      4, "mlp", {rounded, with(rounded, {"--allreduce=hierarchical", "--virtual-node-ranks=2"})});

  const Probe& flat = ends[0].front();
  const std::vector<Probe>& probes = ends[1];

  CHECK(relative_difference(flat.parameters, probes[0].parameters) <= 1e-2);
  CHECK(probes[0].parameters == probes[3].parameters);
}
