#include "tests/support/catch.h"
#include "workloads/collective/series.h"

using namespace scalestudy;
using protocol::Samples;

TEST_CASE("a step takes as long as its slowest rank, and its bandwidths follow from that",
          "[collective]") {
  const collective::Layout layout{.total_bytes = 1000, .busbw_factor = 1.5};
  const auto series = collective::make_series({{2.0, 4.0}, {5.0, 1.0}}, layout, 1);

  REQUIRE(series.size() == 5);
  CHECK(series[0].metric == "step_time_s");
  CHECK(series[0].values == std::vector<double>{5.0, 4.0});
  CHECK(series[0].warmup == 1);
  CHECK(series[1].metric == "algbw_bytes_per_s");
  CHECK(series[1].unit == "bytes/s");
  CHECK(series[1].values == std::vector<double>{200.0, 250.0});
  CHECK(series[2].metric == "busbw_bytes_per_s");
  CHECK(series[2].values == std::vector<double>{300.0, 375.0});
  CHECK(series[3].rank == 0);
  CHECK(series[3].values == std::vector<double>{2.0, 4.0});
  CHECK(series[4].rank == 1);
  CHECK(series[4].values == std::vector<double>{5.0, 1.0});
}

TEST_CASE("copy bandwidth is that of the slowest rank, its first value warm-up", "[collective]") {
  const Samples copies = collective::make_rate_series(
      "copy_bandwidth_bytes_per_s", {{1.0, 6.0, 3.0}, {2.0, 4.0, 5.0}}, 1);

  CHECK(copies.metric == "copy_bandwidth_bytes_per_s");
  CHECK(copies.values == std::vector<double>{1.0, 4.0, 3.0});
  CHECK(copies.warmup == 1);
  CHECK_FALSE(copies.rank.has_value());
}
