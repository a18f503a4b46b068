#include "stats/summary.h"

#include <cmath>
#include <limits>
#include <vector>

#include "stats/select.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("an empty sample has no mean, no median and no spread", "[stats]") {
  CHECK_FALSE(mean({}).has_value());
  CHECK_FALSE(median({}).has_value());
  CHECK_FALSE(standard_deviation({}).has_value());
  CHECK_FALSE(quantile({}, 0.5).has_value());
}

TEST_CASE("one value has a mean but no standard deviation", "[stats]") {
  const std::vector<double> x{0.125};

  CHECK(mean(x) == 0.125);
  CHECK_FALSE(standard_deviation(x).has_value());
  CHECK_FALSE(coefficient_of_variation(x).has_value());
}

TEST_CASE("equal values have a spread of exactly zero", "[stats]") {
  const std::vector<double> x(7, 0.1);

  CHECK(mean(x) == 0.1);
  CHECK(standard_deviation(x) == 0.0);
  CHECK(coefficient_of_variation(x) == 0.0);
}

// The squares 1, 0 and 1 over 2 make a standard deviation of 1.
TEST_CASE("a coefficient of variation needs finite values and a mean other than 0", "[stats]") {
  CHECK(coefficient_of_variation(std::vector<double>{3.0, 4.0, 5.0}) == 0.25);
  CHECK_FALSE(coefficient_of_variation(std::vector<double>{-1.0, 0.0, 1.0}).has_value());
  CHECK_FALSE(coefficient_of_variation(std::vector<double>{1.0, kNan, 3.0}).has_value());
}

// By hand, type 7: h = 3 * 0.25 = 0.75, so 1 + 0.75 (2 - 1) = 1.75.
TEST_CASE("a quantile lies linearly between its neighbours", "[stats]") {
  const std::vector<double> x{4.0, 1.0, 3.0, 2.0};

  CHECK(quantile(x, 0.25) == 1.75);
  CHECK(quantile(x, 0.0) == 1.0);
  CHECK(quantile(x, 1.0) == 4.0);
  CHECK_FALSE(quantile(x, 1.5).has_value());
}

TEST_CASE("a median leaves the caller's order alone", "[stats]") {
  const std::vector<double> x{3.0, 1.0, 2.0};

  CHECK(median(x) == 2.0);
  CHECK(x == std::vector<double>{3.0, 1.0, 2.0});
}

TEST_CASE("a long sum of tenths keeps its digits", "[stats]") {
  const std::size_t n = 1'000'000;
  std::vector<double> x(n, 0.1);
  x.back() = 0.2;  // not constant: the sum is really taken

  // Exact: 0.1 + 0.1 / 10^6. A running sum is off by 1e-12 here.
  CHECK(std::abs(*mean(x) - (0.1 + 1e-7)) < 1e-16);
}

TEST_CASE("a selected quantile is that of the sorted values, to the bit", "[stats]") {
  test::Random random(5);
  INFO(random.describe());
  for (const std::size_t n : {1, 2, 3, 20, 101, 1000}) {
    std::vector<double> x(n);
    for (double& value : x) {
      value = std::floor(30.0 * random.normal());  // with ties
    }
    const std::vector<double> sorted = sorted_copy(x);

    for (const double p : {0.0, 0.5, 0.95, 1.0}) {
      CHECK(select_quantile(x, p) == sorted_quantile(sorted, p));
    }
    CHECK(select_quantile(x, 0.5) == sorted_quantile(sorted, 0.5));
    CHECK(select_quantile(x, 0.99, (n - 1) / 2) == sorted_quantile(sorted, 0.99));
  }
}

TEST_CASE("spread scales with the values and ignores their order and offset", "[stats]") {
  test::Random random(11);
  INFO(random.describe());
  std::vector<double> x(200);
  for (double& value : x) {
    value = random.normal();
  }
  std::vector<double> other = x;
  random.shuffle(other);
  for (double& value : other) {
    value = 1e6 + 4.0 * value;
  }

  CHECK(*standard_deviation(other) == Approx(4.0 * *standard_deviation(x)).epsilon(1e-9));
}

}  // namespace
