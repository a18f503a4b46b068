#include "stats/block_effects.h"

#include <cmath>
#include <numeric>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

TEST_CASE("in complete blocks the adjusted value is y less its block's mean", "[stats]") {
  // Cells 1 and 3; blocks add 0, 2 and 4; one value is 0.3 off.
  const std::vector<double> y = {1.0, 3.0, 3.0, 5.3, 5.0, 7.0};
  const std::vector<std::int64_t> cell = {1, 2, 1, 2, 1, 2};
  const std::vector<std::int64_t> block = {0, 0, 1, 1, 2, 2};

  const BlockAdjusted adjusted = take_out_blocks(y, cell, block);

  REQUIRE(adjusted.status == Status::kOk);
  CHECK(adjusted.df == 2);
  // By hand: block means 2, 4.15, 6; their mean 4.05; value = y - block mean + 4.05.
  const std::vector<double> expected = {3.05, 5.05, 2.9, 5.2, 3.05, 5.05};
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(adjusted.values[i] == Approx(expected[i]).epsilon(1e-12));
  }
}

TEST_CASE("incomplete blocks give back exact effects", "[stats]") {
  // Cells at 1, 2 and 5; blocks add 0, 10 and -3; four of nine places are missing.
  const std::vector<std::int64_t> cell = {7, 8, 8, 9, 7, 9};
  const std::vector<std::int64_t> block = {0, 0, 1, 1, 2, 2};
  const std::vector<double> y = {1.0, 2.0, 12.0, 15.0, -2.0, 2.0};

  const BlockAdjusted adjusted = take_out_blocks(y, cell, block);

  REQUIRE(adjusted.status == Status::kOk);
  CHECK(adjusted.values[1] - adjusted.values[0] == Approx(1.0));
  CHECK(adjusted.values[3] - adjusted.values[0] == Approx(4.0));
  CHECK(adjusted.values[2] == Approx(adjusted.values[1]));
  CHECK(adjusted.values[4] == Approx(adjusted.values[0]));
  const auto sum = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0);
  };
  CHECK(sum(adjusted.values) == Approx(sum(y)));
}

TEST_CASE("cells without common blocks cannot be adjusted", "[stats]") {
  const std::vector<double> y = {1.0, 2.0, 3.0, 4.0};

  CHECK(take_out_blocks(
            y, std::vector<std::int64_t>{1, 1, 2, 2}, std::vector<std::int64_t>{0, 1, 2, 3})
            .status == Status::kInsufficientData);
  CHECK(take_out_blocks({}, {}, {}).status == Status::kInsufficientData);
  CHECK(take_out_blocks(
            std::vector<double>{NAN}, std::vector<std::int64_t>{1}, std::vector<std::int64_t>{1})
            .status == Status::kInvalidInput);
}

}  // namespace
