#include "stats/reference/throughput.h"

#include <vector>

#include "stats/reference/scaling.h"
#include "stats/reference/tail.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

using Trials = std::vector<std::vector<double>>;

// Trial means 0.2 s and 0.4 s, 60 samples a step: tau = 0.3 s, so 200 samples/s, the harmonic mean
// of 300 and 150. The arithmetic mean would be 225.
TEST_CASE("throughput is work over the mean step time, not the mean of rates", "[stats]") {
  const CellThroughput c = cell_throughput(Trials{{0.1, 0.3}, {0.4, 0.4}}, 60.0, 2.0, 7.2, 0.95);

  CHECK(*c.throughput.value == Approx(200.0));
  CHECK(*c.per_gpu.value == Approx(100.0));
  // 2 GPUs at 7.2 an hour cost 0.004 a second; 10^6 samples take 5000 s.
  CHECK(*c.cost_per_million_samples->value == Approx(20.0));
}

TEST_CASE("trials weigh equally whatever their number of steps", "[stats]") {
  const CellThroughput c =
      cell_throughput(Trials{{0.2}, {0.4, 0.4, 0.4, 0.4}}, 60.0, 1.0, std::nullopt, 0.95);

  CHECK(*c.step_time.mean == Approx(0.3));
  CHECK_FALSE(c.cost_per_million_samples.has_value());
}

TEST_CASE("a time interval that reaches zero leaves the throughput open above", "[stats]") {
  const CellThroughput c = cell_throughput(Trials{{0.1}, {0.5}}, 60.0, 1.0, std::nullopt, 0.95);

  REQUIRE(*c.step_time.lo < 0.0);
  CHECK(c.throughput.lo.has_value());
  CHECK_FALSE(c.throughput.hi.has_value());
}

TEST_CASE("an empty trial or a step of zero seconds refuses the cell", "[stats]") {
  CHECK(cell_throughput(Trials{{0.1}, {}}, 60.0, 1.0, std::nullopt, 0.95).status ==
        Status::kInvalidInput);
  CHECK(cell_throughput(Trials{{0.1}, {0.0}}, 60.0, 1.0, std::nullopt, 0.95).status ==
        Status::kInvalidInput);
  CHECK(cell_throughput(Trials{}, 60.0, 1.0, std::nullopt, 0.95).status ==
        Status::kInsufficientData);
}

TEST_CASE("unequal work agrees with equal work when it is equal", "[stats]") {
  const Trials steps{{0.1, 0.3}, {0.4, 0.5}, {0.2, 0.2}};
  const Trials samples(3, std::vector<double>(2, 60.0));

  const CellThroughput equal = cell_throughput(steps, 60.0, 1.0, std::nullopt, 0.95);
  const CellThroughputUnequal unequal = cell_throughput_unequal(steps, samples, 0.95);

  CHECK(*unequal.throughput.value == Approx(*equal.throughput.value));
  CHECK(*unequal.throughput.lo == Approx(*equal.throughput.lo));
}

TEST_CASE("samples must have the shape of the steps", "[stats]") {
  CHECK(cell_throughput_unequal(Trials{{0.1, 0.3}}, Trials{{60.0}}, 0.95).status ==
        Status::kInvalidInput);
}

TEST_CASE("p95 needs 100 steps in every trial and p90 needs 50", "[stats]") {
  const auto status = [](std::size_t steps, double p) {
    std::vector<double> ramp;
    for (std::size_t i = 0; i < steps; ++i) {
      ramp.push_back(1.0 + static_cast<double>(i));
    }
    std::vector<double> longer = ramp;
    longer.push_back(1e3);
    return tail_across_trials(Trials{longer, ramp}, p, 0.95).status;
  };

  CHECK(status(99, 0.95) == Status::kUnattainable);
  CHECK(status(100, 0.95) == Status::kOk);
  CHECK(status(49, 0.9) == Status::kUnattainable);
  CHECK(status(50, 0.9) == Status::kOk);
}

TEST_CASE("one trial has a tail quantile but no interval", "[stats]") {
  const TailAcrossTrials t = tail_across_trials(Trials{std::vector<double>(20, 0.1)}, 0.5, 0.95);

  CHECK(t.status == Status::kInsufficientData);
  CHECK(t.trial_quantiles == std::vector<double>{0.1});
  CHECK_FALSE(t.across_trials.lo.has_value());
}

TEST_CASE("strong and weak scaling read the same ratio differently", "[stats]") {
  RatioInterval rho;
  rho.status = Status::kOk;
  rho.ratio = 3.0;
  rho.lo = 2.0;
  rho.hi = 5.0;

  const ScalingSummary strong = scaling_from_ratio(ScalingMode::kStrong, rho, 1.0, 4.0);
  const ScalingSummary weak = scaling_from_ratio(ScalingMode::kWeak, rho, 1.0, 4.0);

  CHECK(strong.speedup.value == 3.0);
  CHECK(strong.efficiency.value == 0.75);
  CHECK(strong.overhead.lo == 1.0 - 1.25);
  CHECK(strong.overhead.hi == 0.5);
  CHECK(strong.cost_ratio.hi == 2.0);
  CHECK_FALSE(strong.superlinear);
  CHECK(weak.speedup.value == 12.0);
  CHECK(weak.efficiency.value == 3.0);
  CHECK(weak.superlinear);
}

TEST_CASE("a scaling against no devices is refused", "[stats]") {
  CHECK(scaling_from_ratio(ScalingMode::kStrong, {}, 0.0, 4.0).status == Status::kInvalidInput);
}

}  // namespace
