#include "stats/mean_interval.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

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

TEST_CASE("an interval within strata takes their levels out of the spread", "[stats]") {
  const std::vector<std::vector<double>> sessions{{1.0, 2.0, 3.0}, {11.0, 13.0}, {30.0}};

  const MeanInterval m = mean_ci_t_within(sessions, 0.95);

  // Squares 2 + 2 + 0 over 6 - 3 degrees of freedom: variance 4/3, standard error sqrt(4/3/6).
  CHECK(m.status == Status::kOk);
  CHECK(m.n == 6);
  CHECK(*m.mean == 10.0);
  CHECK(*m.df == 3.0);
  CHECK(*m.se == Approx(std::sqrt(4.0 / 18.0)));
  CHECK(*m.hi - *m.mean == Approx(3.182446 * *m.se).epsilon(1e-6));  // t(0.975, 3)
}

TEST_CASE("one stratum has the interval of its trials", "[stats]") {
  const std::vector<std::vector<double>> one{{1.0, 2.0, 4.0}};

  CHECK(mean_ci_t_within(one, 0.95).lo == mean_ci_t(one.front(), 0.95).lo);
}

TEST_CASE("strata of one trial each say nothing of the spread inside them", "[stats]") {
  const std::vector<std::vector<double>> singles{{1.0}, {2.0}};
  const std::vector<std::vector<double>> equal{{1.0, 1.0}, {2.0}};

  CHECK(mean_ci_t_within(singles, 0.95).status == Status::kInsufficientData);
  CHECK(*mean_ci_t_within(singles, 0.95).mean == 1.5);
  CHECK_FALSE(mean_ci_t_within(singles, 0.95).lo.has_value());
  CHECK(mean_ci_t_within(equal, 0.95).status == Status::kZeroVariance);
}

}  // namespace
