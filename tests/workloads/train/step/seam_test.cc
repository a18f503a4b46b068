// The strategy `ddp` behind the seam of workloads/sync/strategy.h against training without one.
#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Flags;
using test::Probe;

TEST_CASE("ddp ends with the bits of a plain loop over the same buckets", "[train][slow]") {
  const auto* const model = GENERATE(from_range(test::kSmallModels));
  const auto [ranks, overlaps] = GENERATE(table<int, Flags>(
      {{1, {"none"}}, {2, {"none", "poll"}}, {4, {"none", "poll", "start_wait", "thread"}}}));
  std::vector<Flags> trainings;
  for (const std::string& overlap : overlaps) {
    trainings.push_back(test::with(test::flags_of(model),
                                   {"--overlap=" + overlap,
                                    "--batch-global=16",
                                    "--measured-steps=4",
                                    "--bucket-mb=0.02",
                                    "--first-bucket-mb=0.01"}));
  }

  const std::vector<std::vector<Probe>> ends =
      test::train_each(ranks, test::network_of(model), trainings, {"SCALESTUDY_PROBE_REFERENCE=1"});

  for (std::size_t i = 0; i < overlaps.size(); ++i) {
    CAPTURE(model, ranks, overlaps[i]);
    for (const Probe& probe : ends[i]) {
      REQUIRE(probe.parameters.size() > 1000);
      CHECK(probe.parameters == probe.reference_parameters);
      CHECK(probe.losses == probe.reference_losses);
    }
  }
}
