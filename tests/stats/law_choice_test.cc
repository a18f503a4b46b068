// Which law is chosen by its errors at counts it has not seen.
#include "stats/law_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

struct TrueLaw {
  StepLaw law;
  bool is_weak;
  bool has_communication;
  double (*time_s)(double n);
};

double ring_s(double n) {
  return 2.0 * (n - 1.0) * 20e-6 + 2.0 * (n - 1.0) / n * 0.004;
}

// Laws by their formulas, with parameters of ordinary curves.
const std::vector<TrueLaw> kTruths = {
    {StepLaw::kAmdahl, false, false, [](double n) { return 0.2 * (0.08 + 0.92 / n); }},
    {StepLaw::kUsl,
     false,
     false,
     [](double n) { return 0.2 / n * (1.0 + 0.03 * (n - 1.0) + 0.004 * n * (n - 1.0)); }},
    {StepLaw::kGustafson, true, false, [](double n) { return 0.2 * n / (n - 0.3 * (n - 1.0)); }},
    {StepLaw::kUsl,
     true,
     false,
     [](double n) { return 0.2 * (1.0 + 0.01 * (n - 1.0) + 0.004 * n * (n - 1.0)); }},
    {StepLaw::kRing,
     true,
     false,
     [](double n) { return 0.2 + 2.0 * (n - 1.0) * 1e-3 + 2.0 * (n - 1.0) / n * 0.05; }},
    {StepLaw::kAdded, false, true, [](double n) { return 0.02 / n + ring_s(n); }},
    {StepLaw::kHidden, false, true, [](double n) { return std::max(0.02 / n, ring_s(n)); }},
    {StepLaw::kAdded, true, true, [](double n) { return 0.02 + ring_s(n); }},
    {StepLaw::kHidden, true, true, [](double n) { return std::max(0.0075, ring_s(n)); }},
};

// `trials` a count of 1, 2, 4 ... 2^(counts - 1) devices, each off by `noise` (lognormal).
LawChoice choose(const TrueLaw& truth,
                 std::size_t counts,
                 std::size_t trials,
                 double noise,
                 std::uint64_t seed) {
  test::Random random(seed);
  std::vector<double> n;
  std::vector<double> t;
  for (std::size_t i = 0; i < counts; ++i) {
    for (std::size_t trial = 0; trial < trials; ++trial) {
      n.push_back(std::pow(2.0, static_cast<double>(i)));
      t.push_back(truth.time_s(n.back()) * std::exp(noise * random.normal()));
    }
  }
  StepPoints points{.n = n, .t = t, .is_weak = truth.is_weak};
  if (truth.has_communication) {
    points.communication_s = ring_s;
  }
  return choose_law(points, laws_that_apply(points));
}

}  // namespace

TEST_CASE("a law that made the times without noise is chosen", "[stats]") {
  for (const TrueLaw& truth : kTruths) {
    const LawChoice choice = choose(truth, 6, 1, 0.0, 1);
    INFO("law " << static_cast<int>(truth.law) << " weak " << truth.is_weak);
    REQUIRE(choice.chosen);
    CHECK(*choice.chosen == truth.law);
    for (const HeldOutError& law : choice.laws) {
      if (law.law == truth.law) {
        CHECK(*law.error < 1e-6);
      }
    }
  }
}

TEST_CASE("four counts are too few to choose a law by", "[stats]") {
  const LawChoice four = choose(kTruths.front(), 4, 5, 0.02, 1);

  CHECK(four.status == Status::kInsufficientData);
  CHECK(four.counts == 4);
  CHECK_FALSE(four.chosen);
  CHECK(four.laws.size() == 2);
  CHECK_FALSE(four.laws.front().error);
  CHECK(choose(kTruths.front(), 5, 5, 0.02, 1).chosen);
}

TEST_CASE("with 2 % noise the law that made the times is chosen nearly always", "[stats]") {
  // 400 replicates, seeds 1000 to 1399, of 5, 6 and 8 counts with 5 trials each: 89 to 100, 92 to
  // 100 and 96 to 100 of 100 right, but of 5 counts the fitted ring 47.
  for (const TrueLaw& truth : kTruths) {
    int right = 0;
    for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
      right += choose(truth, 6, 5, 0.02, seed).chosen == truth.law ? 1 : 0;
    }
    INFO("law " << static_cast<int>(truth.law) << " weak " << truth.is_weak);
    CHECK(right >= 85);
  }
}
