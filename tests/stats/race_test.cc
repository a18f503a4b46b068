// Racing: standings, rounds and the numbers of blocks, by hand and against tables.
#include "stats/race.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy::stats;

TEST_CASE("standings take out what blocks add, also of settings that left", "[stats]") {
  // Settings 1 and 2 in three blocks, 3 in the first alone: y = setting + block, exactly.
  const std::vector<double> y{1.0, 2.0, 4.0, 11.0, 12.0, 21.0, 22.0};
  const std::vector<std::int64_t> setting{1, 2, 3, 1, 2, 1, 2};
  const std::vector<std::int64_t> block{0, 0, 0, 1, 1, 2, 2};

  const RaceStandings standings = race_standings(y, setting, block);

  REQUIRE(standings.status == Status::kOk);
  CHECK(standings.of.at(2).level - standings.of.at(1).level == Approx(1.0));
  CHECK(standings.of.at(3).level - standings.of.at(1).level == Approx(3.0));
  CHECK(standings.of.at(1).n == 3);
  CHECK(standings.of.at(3).n == 1);
}

TEST_CASE("the spread is what settings and blocks leave", "[stats]") {
  // Two settings in two blocks, interaction +-1: squares 4, degrees of freedom 4 - 2 - 1 = 1.
  const std::vector<double> y{1.0, -1.0, -1.0, 1.0};
  const std::vector<std::int64_t> setting{1, 2, 1, 2};
  const std::vector<std::int64_t> block{0, 0, 1, 1};

  CHECK(race_standings(y, setting, block).sd == Approx(2.0));
  CHECK(!race_standings(std::vector<double>{1.0, 2.0},
                        std::vector<std::int64_t>{1, 2},
                        std::vector<std::int64_t>{0, 0})
             .sd);
}

TEST_CASE("values of no common blocks, and none that are finite, have no standings", "[stats]") {
  const std::vector<std::int64_t> apart{0, 1};
  CHECK(race_standings(std::vector<double>{1.0, 2.0}, apart, apart).status ==
        Status::kInsufficientData);
  CHECK(race_standings(std::vector<double>{1.0, NAN}, apart, std::vector<std::int64_t>{0, 0})
            .status == Status::kInvalidInput);
}

TEST_CASE("halving takes the logarithm of the settings in rounds", "[stats]") {
  CHECK(halving_rounds(64) == 6);
  CHECK(halving_rounds(63) == 6);  // 32, 16, 8, 4, 2, 1
  CHECK(halving_rounds(5) == 3);   // 3, 2, 1
  CHECK(halving_rounds(1) == 0);
  CHECK(halving_rounds(0) == 0);
}

TEST_CASE("a round has its share of the budget in whole blocks, one at least", "[stats]") {
  CHECK(halving_blocks(640.0, 10.0, 16) == 16);  // 640 / (4 rounds * 10)
  CHECK(halving_blocks(79.0, 10.0, 16) == 1);
  CHECK(halving_blocks(-5.0, 10.0, 16) == 1);
  CHECK(halving_blocks(45.0, 10.0, 1) == 4);
}

TEST_CASE("blocks to lead follow from the normal quantile", "[stats]") {
  // 2 (1.281552 * 3 / 1.98026)^2 = 7.54 for 3 % and a margin of 2 % (ln 1.02 = 1.98026 %).
  CHECK(blocks_to_lead(0.03, 0.02, 0.9) == 8);
  CHECK(blocks_to_lead(0.001, 0.02, 0.9) == 1);
  CHECK(blocks_to_lead(0.0, 0.02, 0.9) == 0);
  CHECK(blocks_to_lead(0.03, 0.02, 0.5) == 0);
}

TEST_CASE("blocks to confirm find the difference, and equality", "[stats]") {
  // By hand, with normal quantiles: the difference needs 2 (0.03 (1.9600 + 0.8416) / 0.0198)^2
  // = 36.0 blocks, equality 2 (0.03 (1.6449 + 1.2816) / 0.0198)^2 = 39.3; t adds one or two.
  const auto blocks = blocks_to_confirm(0.03, 0.02, 0.05, 0.8);
  REQUIRE(blocks);
  CHECK(*blocks >= 40);
  CHECK(*blocks <= 42);
  CHECK(*blocks_to_confirm(0.03, 0.02, 0.05 / 4, 0.8) > *blocks);
  CHECK(*blocks_to_confirm(1e-9, 0.02, 0.05, 0.8) <= 3);
  // Equality, by hand: 2 (4 (1.644854 + 1.281552) / 0.0198026)^2 = 698,832.8; with 4.9, 1,048,686.
  const auto many = blocks_to_confirm(4.0, 0.02, 0.05, 0.8);
  REQUIRE(many);
  CHECK(static_cast<double>(*many) == Approx(698'833.0));
  CHECK(!blocks_to_confirm(4.9, 0.02, 0.05, 0.8));
  CHECK(!blocks_to_confirm(1e3, 0.02, 0.05, 0.8));
  CHECK(!blocks_to_confirm(0.0, 0.02, 0.05, 0.8));
  CHECK(!blocks_to_confirm(0.03, 0.02, 0.5, 0.8));
}
