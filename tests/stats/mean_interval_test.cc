#include "stats/mean_interval.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

namespace scalestudy::stats {
namespace {

TEST_CASE("a mean interval is absent for fewer than two trials", "[stats]") {
  const MeanInterval none = mean_ci_t({}, 0.95);
  const MeanInterval one = mean_ci_t(std::vector<double>{2.0}, 0.95);

  CHECK(none.status == Status::kInsufficientData);
  CHECK_FALSE(none.mean.has_value());
  CHECK(one.status == Status::kInsufficientData);
  CHECK(one.mean == 2.0);
  CHECK_FALSE(one.lo.has_value());
}

// t(0.975, 1) = 12.706 (any table); sd = 1/sqrt(2), se = 1/2.
TEST_CASE("two trials give a wide interval, not none", "[stats]") {
  const MeanInterval m = mean_ci_t(std::vector<double>{1.0, 2.0}, 0.95);

  CHECK(m.status == Status::kOk);
  CHECK(*m.hi - *m.mean == Approx(12.706 * 0.5).epsilon(1e-4));
}

TEST_CASE("95 is not a confidence level", "[stats]") {
  const std::vector<double> x{1.0, 2.0, 3.0};

  CHECK(mean_ci_t(x, 95.0).status == Status::kInvalidInput);
  CHECK(mean_ci_t(x, std::nan("")).status == Status::kInvalidInput);
}

TEST_CASE("equal trials give an interval of width zero that says so", "[stats]") {
  const MeanInterval m = mean_ci_t(std::vector<double>(5, 0.3), 0.95);

  CHECK(m.status == Status::kZeroVariance);
  CHECK(m.lo == 0.3);
  CHECK(m.hi == 0.3);
}

TEST_CASE("values whose variance overflows are refused", "[stats]") {
  const MeanInterval m = mean_ci_t(std::vector<double>{1e200, 2e200, 4e200}, 0.95);

  CHECK(m.status == Status::kInvalidInput);
  CHECK_FALSE(m.lo.has_value());
}

}  // namespace
}  // namespace scalestudy::stats
