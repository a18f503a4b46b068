#include "stats/reference/ranks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

const std::vector<double> kLow{1.0, 2.0, 3.0};
const std::vector<double> kHigh{4.0, 5.0, 6.0};

// 20 ways to choose 3 of 6, two of them as extreme: p = 2/20.
TEST_CASE("three trials a side can reach 0.1 and no less", "[stats]") {
  const MannWhitney m = mann_whitney(kLow, kHigh, RankP::kAutomatic);

  CHECK(m.u_a == 0.0);
  CHECK(m.u_b == 9.0);
  CHECK(*m.p == Approx(0.1));
  CHECK(*m.min_attainable_p == Approx(0.1));
}

TEST_CASE("a monotone change of unit leaves ranks alone", "[stats]") {
  const std::vector<double> a{1.0, 3.0, 7.0, 8.0};
  const std::vector<double> b{2.0, 4.0, 5.0, 6.0};
  std::vector<double> log_a;
  std::vector<double> log_b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    log_a.push_back(std::log(a[i]));
    log_b.push_back(std::log(b[i]));
  }

  CHECK(mann_whitney(a, b, RankP::kAutomatic).p == mann_whitney(log_a, log_b, RankP::kAutomatic).p);
  CHECK(cliffs_delta(a, b).delta == cliffs_delta(log_a, log_b).delta);
}

TEST_CASE("the permutation test is the exact test when nothing is tied", "[stats]") {
  const std::vector<double> a{1.0, 3.0, 7.0, 8.0};
  const std::vector<double> b{2.0, 4.0, 5.0, 6.0, 9.0};

  CHECK(mann_whitney(a, b, RankP::kPermutation).p == mann_whitney(a, b, RankP::kAutomatic).p);
}

TEST_CASE("ties turn the automatic choice to the normal p", "[stats]") {
  const std::vector<double> tied{1.0, 2.0, 4.0};

  CHECK(mann_whitney(tied, kHigh, RankP::kAutomatic).p ==
        mann_whitney(tied, kHigh, RankP::kNormal).p);
  CHECK_FALSE(mann_whitney(tied, kHigh, RankP::kAutomatic).min_attainable_p.has_value());
}

// `n_a` and `n_b` different values of which `wins` of the pairs have the greater one in a.
struct Samples {
  std::vector<double> a;
  std::vector<double> b;
};

Samples with_wins(std::size_t n_a, std::size_t n_b, std::size_t wins) {
  Samples samples;
  for (std::size_t j = 0; j < n_b; ++j) {
    samples.b.push_back(static_cast<double>(j));
  }
  for (std::size_t i = 0; i < n_a; ++i) {
    const std::size_t beaten = std::min(n_b, wins);
    wins -= beaten;
    samples.a.push_back(static_cast<double>(beaten) - 0.75 + 0.5 * static_cast<double>(i) / 1e5);
  }
  return samples;
}

// Expected: counts of subsets in whole numbers of any length (Gaussian binomials, Python 3.11).
TEST_CASE("the rank test is exact up to ten thousand pairs", "[stats]") {
  struct Case {
    std::size_t n_a;
    std::size_t n_b;
    std::size_t u;
    double p;
  };
  const Case known = GENERATE(Case{25, 18, 185, 0.33452861512316506},
                              Case{100, 100, 4200, 0.05061847608000584},
                              Case{100, 100, 1000, 5.744710028723745e-27},
                              Case{10'000, 1, 7, 16.0 / 10'001.0});
  const Samples samples = with_wins(known.n_a, known.n_b, known.u);

  const MannWhitney m = mann_whitney(samples.a, samples.b, RankP::kAutomatic);
  const MannWhitney swapped = mann_whitney(samples.b, samples.a, RankP::kAutomatic);

  CHECK(m.u_a == static_cast<double>(known.u));
  CHECK(*m.p == Approx(known.p).epsilon(1e-11));
  CHECK(swapped.p == m.p);
}

TEST_CASE("beyond ten thousand pairs the rank test is the normal one", "[stats]") {
  const Samples samples = with_wins(101, 100, 4300);

  CHECK(mann_whitney(samples.a, samples.b, RankP::kAutomatic).p ==
        mann_whitney(samples.a, samples.b, RankP::kNormal).p);
}

TEST_CASE("equal values everywhere are all tied", "[stats]") {
  const std::vector<double> same(3, 1.0);

  CHECK(mann_whitney(same, same, RankP::kAutomatic).status == Status::kAllTied);
  CHECK(cliffs_delta(same, same).delta == 0.0);
}

TEST_CASE("a shift estimate moves with the shift", "[stats]") {
  std::vector<double> moved;
  const std::vector<double> a{1.0, 3.0, 7.0, 8.0};
  for (const double value : a) {
    moved.push_back(value + 10.0);
  }

  const HodgesLehmann h = hodges_lehmann(moved, a, 0.95);

  CHECK(*h.estimate == Approx(10.0));
  CHECK(*h.lo <= 10.0);
  CHECK(*h.hi >= 10.0);
}

TEST_CASE("three trials a side have no 95 % shift interval", "[stats]") {
  const HodgesLehmann h = hodges_lehmann(kLow, kHigh, 0.95);

  CHECK(h.status == Status::kUnattainable);
  CHECK(*h.max_coverage == Approx(0.9));
  CHECK_FALSE(h.lo.has_value());
}

TEST_CASE("an empty side has no ranks and more than 10^4 pairs no exact test", "[stats]") {
  std::vector<double> many;
  for (int i = 0; i < 101; ++i) {
    many.push_back(i);
  }

  CHECK(mann_whitney(kLow, {}, RankP::kNormal).status == Status::kInsufficientData);
  CHECK(cliffs_delta({}, kLow).status == Status::kInsufficientData);
  CHECK(mann_whitney(many, many, RankP::kPermutation).status == Status::kUnattainable);
  CHECK(hodges_lehmann(many, many, 0.95).status == Status::kUnattainable);
}

}  // namespace
