#include "stats/ranks.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

namespace scalestudy::stats {
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
}  // namespace scalestudy::stats
