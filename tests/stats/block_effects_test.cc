#include "stats/block_effects.h"

#include <cmath>
#include <ctime>
#include <map>
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

TEST_CASE("many cells of few blocks and few of many give the same residuals", "[stats]") {
  // Unbalanced: every fifth value is missing, some are there twice. In the model y = cell + block
  // the two factors are alike, so that y less both is the same whichever of them is eliminated;
  // the effects of either follow from the other's.
  std::vector<double> y;
  std::vector<std::int64_t> cell;
  std::vector<std::int64_t> block;
  for (std::int64_t i = 0; i < 60; ++i) {
    for (int copy = 0; i % 5 != 3 && copy < 1 + (i % 7 == 0 ? 1 : 0); ++copy) {
      cell.push_back(i % 20);
      block.push_back(i / 20);
      y.push_back(std::sin(static_cast<double>(3 * i + copy)));
    }
  }
  // Values less block effects have a mean a cell; what is left is orthogonal to both factors.
  const auto check = [&](const std::vector<std::int64_t>& cells,
                         const std::vector<std::int64_t>& blocks) {
    const BlockAdjusted adjusted = take_out_blocks(y, cells, blocks);
    REQUIRE(adjusted.status == Status::kOk);
    std::map<std::int64_t, std::vector<double>> of_cell;
    for (std::size_t i = 0; i < y.size(); ++i) {
      of_cell[cells[i]].push_back(adjusted.values[i]);
    }
    std::vector<double> residuals;
    std::map<std::int64_t, double> sum_of_block;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::vector<double>& of = of_cell[cells[i]];
      const double mean =
          std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
      residuals.push_back(adjusted.values[i] - mean);
      sum_of_block[blocks[i]] += residuals.back();
    }
    for (const auto& [number, sum] : sum_of_block) {
      CHECK(sum == Approx(0.0).margin(1e-12));
    }
    return residuals;
  };
  const std::vector<double> wide = check(cell, block);  // 20 cells, 3 blocks
  const std::vector<double> tall = check(block, cell);  // 3 cells, 20 blocks
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(wide[i] == Approx(tall[i]).margin(1e-12));
  }
}

TEST_CASE("three blocks of five thousand cells take no second", "[stats]") {
  std::vector<double> y;
  std::vector<std::int64_t> cell;
  std::vector<std::int64_t> block;
  for (std::int64_t i = 0; i < 15'000; ++i) {
    cell.push_back(i % 5'000);
    block.push_back(i / 5'000);
    y.push_back(static_cast<double>(cell.back()) + 100.0 * static_cast<double>(block.back()));
  }
  const std::clock_t begin = std::clock();
  const BlockAdjusted adjusted = take_out_blocks(y, cell, block);
  CHECK(static_cast<double>(std::clock() - begin) < 10.0 * CLOCKS_PER_SEC);  // of CPU time
  // The mean of the blocks' effects, 100, stays in every value.
  REQUIRE(adjusted.status == Status::kOk);
  CHECK(adjusted.values[4'321] == Approx(4'421.0).epsilon(1e-12));
  CHECK(adjusted.values[14'321] == Approx(4'421.0).epsilon(1e-12));
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
