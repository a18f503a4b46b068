#include "stats/factor_effect.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

const std::vector<double> kSlowSteps{0.202, 0.199, 0.205, 0.201, 0.198};
const std::vector<double> kQuickSteps{0.101, 0.104, 0.099, 0.103, 0.100};

TEST_CASE("a single pair has the ratio of two cells", "[stats]") {
  const std::vector<CrossedPair> one = {{kSlowSteps, kQuickSteps}};

  for (const bool is_blocked : {true, false}) {
    const FactorEffect effect = factor_effect(one, is_blocked, 0.95);
    const RatioInterval alone =
        (is_blocked ? log_ratio_delta_paired : log_ratio_delta)(kSlowSteps, kQuickSteps, 0.95);
    REQUIRE(effect.ratio.status == Status::kOk);
    CHECK(*effect.ratio.ratio == Approx(*alone.ratio));
    CHECK(*effect.ratio.lo == Approx(*alone.lo));
    CHECK(*effect.ratio.hi == Approx(*alone.hi));
    CHECK(*effect.ratio.p == Approx(*alone.p));
    CHECK(*effect.ratio.df == Approx(*alone.df));
    CHECK(effect.ratio.n_a == alone.n_a);
    CHECK(effect.ratio.n_b == alone.n_b);
    CHECK(effect.apart.empty());
  }
}

// Ratios 2 and 8 have the geometric mean 4. Moves of the first pair, a / 2 - b / 1: blocks +0.1, 0,
// -0.1; of the second, a / 8 - b / 1: -0.02, 0, +0.02. Their means by block are 0.04, 0, -0.04: sd
// 0.04, se 0.0230940, t of 2 degrees of freedom 4.302653. Their differences are 0.12, 0, -0.12:
// ln(2 / 8) = -1.386294 over 0.12 / sqrt(3) is t = -20.0095, p = 0.002488.
TEST_CASE("an effect is the geometric mean over combinations, by block", "[stats]") {
  const std::vector<double> one(3, 1.0);
  const std::vector<CrossedPair> pairs = {{{2.2, 2.0, 1.8}, one}, {{7.84, 8.0, 8.16}, one}};

  const FactorEffect effect = factor_effect(pairs, true, 0.95);

  REQUIRE(effect.ratio.status == Status::kOk);
  CHECK(effect.ratio.n_a == 3);
  CHECK(*effect.ratio.ratio == Approx(4.0));
  CHECK(effect.ratios[0] == Approx(2.0));
  CHECK(effect.ratios[1] == Approx(8.0));
  CHECK(*effect.ratio.lo == Approx(4.0 * std::exp(-4.302653 * 0.0230940)).epsilon(1e-6));
  CHECK(*effect.ratio.hi == Approx(4.0 * std::exp(4.302653 * 0.0230940)).epsilon(1e-6));
  REQUIRE(effect.apart.size() == 2);
  CHECK(*effect.apart[0].ratio == Approx(0.25));
  CHECK(*effect.apart[0].p == Approx(0.002488).epsilon(1e-3));
  CHECK(*effect.apart[1].ratio == Approx(4.0));
  CHECK(*effect.apart[1].p == Approx(*effect.apart[0].p));
}

TEST_CASE("an effect has the statuses of a ratio", "[stats]") {
  const std::vector<double> one(3, 1.0);
  const std::vector<double> two(3, 2.0);

  CHECK(factor_effect({}, true, 0.95).ratio.status == Status::kInsufficientData);
  CHECK(factor_effect(std::vector<CrossedPair>{{{2.0}, {1.0}}}, true, 0.95).ratio.status ==
        Status::kInsufficientData);
  const FactorEffect same = factor_effect(std::vector<CrossedPair>{{two, one}}, true, 0.95);
  CHECK(same.ratio.status == Status::kZeroVariance);
  CHECK(*same.ratio.ratio == Approx(2.0));
  CHECK(factor_effect(std::vector<CrossedPair>{{two, {1.0}}}, true, 0.95).ratio.status ==
        Status::kInvalidInput);
  CHECK(
      factor_effect(std::vector<CrossedPair>{{two, {1.0, -1.0, 1.0}}}, false, 0.95).ratio.status ==
      Status::kInvalidInput);
}

struct Design {
  std::size_t combinations;
  std::size_t blocks;
  double noise_a;  // the spread of a trial of either level
  double noise_b;
  bool is_blocked;
};

// Steps of combination i take 1 + i and are `ratio` times as long with level a.
std::vector<CrossedPair> simulate(const Design& design, double ratio, test::Noise& noise) {
  std::vector<double> speed;
  for (std::size_t k = 0; k < design.blocks; ++k) {
    speed.push_back(noise.factor(0.05));
  }
  std::vector<CrossedPair> pairs(design.combinations);
  for (std::size_t i = 0; i < design.combinations; ++i) {
    for (std::size_t k = 0; k < design.blocks; ++k) {
      const double step = (design.is_blocked ? speed[k] : 1.0) * static_cast<double>(1 + i);
      pairs[i].a.push_back(step * ratio * (1.0 + design.noise_a * noise.normal()));
      pairs[i].b.push_back(step * (1.0 + design.noise_b * noise.normal()));
    }
  }
  return pairs;
}

std::vector<RatioInterval>::const_iterator least_apart(const FactorEffect& effect) {
  return std::ranges::min_element(
      effect.apart, {}, [](const RatioInterval& apart) { return *apart.p; });
}

TEST_CASE("95 % intervals of effects cover 93 to 97 %, and equal effects seldom look unequal",
          "[stats]") {
  constexpr std::size_t replicates = 4000;
  constexpr double truth = 1.25;
  for (const Design& design : {Design{2, 5, 0.03, 0.03, true},
                               Design{4, 5, 0.15, 0.03, true},
                               Design{6, 8, 0.03, 0.15, true},
                               Design{4, 3, 0.03, 0.03, false},
                               Design{2, 4, 0.15, 0.03, false}}) {
    test::Noise noise(20261126);
    std::size_t covered = 0;
    std::size_t apart = 0;
    for (std::size_t i = 0; i < replicates; ++i) {
      const FactorEffect effect =
          factor_effect(simulate(design, truth, noise), design.is_blocked, 0.95);
      covered += *effect.ratio.lo <= truth && truth <= *effect.ratio.hi ? 1U : 0U;
      const double tests =
          effect.apart.size() == 2 ? 1.0 : static_cast<double>(effect.apart.size());
      apart += tests * *least_apart(effect)->p < 0.05 ? 1U : 0U;
    }
    const double share = static_cast<double>(covered) / replicates;
    INFO(design.combinations << " combinations, " << design.blocks << " blocks, noise "
                             << design.noise_a << ": " << share << ", apart " << apart);
    CHECK(share > 0.93);
    CHECK(share < 0.97);
    // Four standard errors above 5 %.
    CHECK(static_cast<double>(apart) / replicates < 0.05 + 4.0 * std::sqrt(0.05 * 0.95 / 4000.0));
  }
}

TEST_CASE("an effect that is twice as large in one combination is told", "[stats]") {
  test::Noise noise(20261126);
  std::vector<CrossedPair> pairs = simulate({4, 8, 0.03, 0.03, true}, 1.25, noise);
  for (double& step : pairs[2].a) {
    step *= 1.25;
  }

  const FactorEffect effect = factor_effect(pairs, true, 0.95);

  const auto least = least_apart(effect);
  CHECK(least - effect.apart.begin() == 2);
  CHECK(4.0 * *least->p < 0.001);
  CHECK(*least->lo < 1.25);
  CHECK(*least->hi > 1.25);
}

}  // namespace
