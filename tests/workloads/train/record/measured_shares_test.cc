// The split of a batch over ranks of unequal speed.
#include "workloads/train/record/measured_shares.h"

#include <algorithm>
#include <numeric>

#include "tests/support/catch.h"

using namespace scalestudy;
using Shares = std::vector<std::size_t>;

namespace {

Shares split(std::size_t batch, const std::vector<double>& speeds) {
  return train::split_batch(batch, speeds);
}

// Until the slowest rank is done, s.
double time_s(const Shares& shares, const std::vector<double>& speeds) {
  double longest = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    longest = std::max(longest, static_cast<double>(shares[i]) / speeds[i]);
  }
  return longest;
}

// Of all splits of `batch` over three ranks, the shortest time there is.
double least_time_s(std::size_t batch, const std::vector<double>& speeds) {
  double least = 1e300;
  for (std::size_t a = 1; a + 2 <= batch; ++a) {
    for (std::size_t b = 1; a + b + 1 <= batch; ++b) {
      least = std::min(least, time_s({a, b, batch - a - b}, speeds));
    }
  }
  return least;
}

}  // namespace

// By hand: of 8 samples at speeds 3 and 2, 5 and 3 are done after 1.67 and 1.5, 4 and 4 after 2.
TEST_CASE("a batch is split by speed, in whole samples", "[train]") {
  CHECK(split(12, {100.0, 200.0}) == Shares{4, 8});
  CHECK(split(16, {3.0, 1.0}) == Shares{12, 4});
  CHECK(split(8, {3.0, 2.0}) == Shares{5, 3});
  CHECK(split(10, {1.0, 1.0, 1.0}) == Shares{4, 3, 3});
  CHECK(split(64, {7.0}) == Shares{64});
}

TEST_CASE("every rank has a sample, however slow it is", "[train]") {
  CHECK(split(3, {1000.0, 1.0, 1.0}) == Shares{1, 1, 1});
  CHECK(split(5, {1.0, 1000.0, 1.0}) == Shares{1, 3, 1});
  CHECK(split(64, {1e-9, 1e9}) == Shares{1, 63});
}

TEST_CASE("no other split is done earlier", "[train]") {
  const std::vector<double> speeds =
      GENERATE(std::vector<double>{1.0, 1.7, 0.3}, std::vector<double>{9.5, 1.0, 10.0});
  for (std::size_t batch = 3; batch < 40; ++batch) {
    const Shares shares = split(batch, speeds);
    CAPTURE(batch);
    CHECK(std::accumulate(shares.begin(), shares.end(), std::size_t{0}) == batch);
    CHECK(*std::min_element(shares.begin(), shares.end()) >= 1);
    CHECK(time_s(shares, speeds) == Approx(least_time_s(batch, speeds)).epsilon(1e-12));
  }
}
