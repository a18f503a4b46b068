#include "stats/reference/order_statistics.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every order statistic against a full sort.
void check_all(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const OrderStatistics order(values);
  std::vector<double> found;
  found.reserve(sorted.size());
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    found.push_back(order.smallest(k));
  }
  CHECK(found == sorted);
}

TEST_CASE("order statistics are those of a sort", "[stats]") {
  test::Random random(1);
  INFO(random.describe());
  for (const std::size_t n : {1U, 2U, 7U, 1000U}) {
    std::vector<double> values(n);
    std::generate(values.begin(), values.end(), [&] { return random.normal(); });
    check_all(values);
  }
}

// The range is taken from the first 256 values: all later ones lie outside.
TEST_CASE("order statistics are right when the first values mislead", "[stats]") {
  std::vector<double> values;
  values.reserve(600);
  for (int i = 0; i < 600; ++i) {
    values.push_back(i < 256 ? i * 1e-3 : (i % 2 == 0 ? 1.0 : -1.0) * i);
  }
  check_all(values);
}

TEST_CASE("order statistics know ties, infinities and ranges too small to divide", "[stats]") {
  check_all({2.0, 1.0, 2.0, 2.0, 1.0});
  check_all(std::vector<double>(300, 0.5));
  check_all({kInfinity, -kInfinity, 0.0, 1.0, -kInfinity, 2.0});
  check_all({kInfinity, kInfinity, -kInfinity});
  check_all({0.0, std::numeric_limits<double>::denorm_min()});
  check_all({-1e308, 1e308, 0.0});
}

}  // namespace
