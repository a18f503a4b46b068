// The strategy `ddp` behind the seam of workloads/sync/strategy.h against training without one.
#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Probe;
using Flags = std::vector<std::string>;

TEST_CASE("ddp ends with the bits of a plain loop over the same buckets", "[train]") {
  const auto model = GENERATE(from_range(test::kSmallModels));
  const auto [ranks, overlap] = GENERATE(table<int, std::string>({{1, "none"},
                                                                  {2, "none"},
                                                                  {2, "poll"},
                                                                  {4, "none"},
                                                                  {4, "poll"},
                                                                  {4, "start_wait"},
                                                                  {4, "thread"}}));
  CAPTURE(model, ranks, overlap);
  Flags flags = test::flags_of(model);
  flags.insert(flags.end(),
               {"--overlap=" + overlap,
                "--batch-global=16",
                "--measured-steps=4",
                "--bucket-mb=0.02",
                "--first-bucket-mb=0.01"});

  for (const Probe& probe :
       test::train(ranks, test::network_of(model), flags, {"SCALESTUDY_PROBE_REFERENCE=1"})) {
    REQUIRE(probe.parameters.size() > 1000);
    CHECK(probe.parameters == probe.reference_parameters);
    CHECK(probe.losses == probe.reference_losses);
  }
}
