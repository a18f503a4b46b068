#include "stats/reduction.h"

#include <cmath>
#include <vector>

#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

// Base 4, 5, 6, 5 and changed 2, 2, 3, 3: means 5 and 2.5, variances 2/3 and 1/3, covariance 1/3
// (products 0.5 + 0 + 0.5 + 0 over 3). t of 3 degrees of freedom is 3.182446, t^2/n = 2.531991.
// leading = 25 - 1.687994 = 23.312006; middle = 12.5 - 0.843997 = 11.656003;
// last = 6.25 - 0.843997 = 5.406003; root = sqrt(135.862406 - 126.024774) = 3.136500.
// rho = (11.656003 -+ 3.136500) / 23.312006 = 0.365456 and 0.634544.
TEST_CASE("half of an amount is removed, with Fieller's ends", "[stats]") {
  const Reduction found = reduction(
      std::vector<double>{4.0, 5.0, 6.0, 5.0}, std::vector<double>{2.0, 2.0, 3.0, 3.0}, 0.95);

  REQUIRE(found.status == Status::kOk);
  CHECK(found.n == 4);
  CHECK(found.level == 0.95);
  CHECK(*found.share == Approx(0.5));
  CHECK(*found.lo == Approx(0.365456).epsilon(1e-5));
  CHECK(*found.hi == Approx(0.634544).epsilon(1e-5));
}

TEST_CASE("what may be nothing cannot be reduced", "[stats]") {
  const std::vector<double> changed = {1.0, 1.1, 0.9};

  CHECK(reduction(std::vector<double>{2.0, -1.0, 1.0}, changed, 0.95).status ==
        Status::kUnresolved);
  CHECK_FALSE(reduction(std::vector<double>{2.0, -1.0, 1.0}, changed, 0.95).share.has_value());
  CHECK(reduction(std::vector<double>{-2.0, -2.1, -1.9}, changed, 0.95).status ==
        Status::kUnresolved);
  CHECK(reduction(std::vector<double>(3, 0.0), changed, 0.95).status == Status::kUnresolved);
}

TEST_CASE("a reduction needs two blocks, spread and finite amounts", "[stats]") {
  const std::vector<double> two = {2.0, 2.0};

  CHECK(reduction(std::vector<double>{2.0}, std::vector<double>{1.0}, 0.95).status ==
        Status::kInsufficientData);
  const Reduction constant = reduction(two, std::vector<double>{0.5, 0.5}, 0.95);
  CHECK(constant.status == Status::kZeroVariance);
  CHECK(*constant.share == Approx(0.75));
  CHECK_FALSE(constant.lo.has_value());
  CHECK(reduction(two, std::vector<double>{0.5}, 0.95).status == Status::kInvalidInput);
  CHECK(reduction(two, std::vector<double>{0.5, NAN}, 0.95).status == Status::kInvalidInput);
  CHECK(reduction(two, two, 95.0).status == Status::kInvalidInput);
}

// Only the change varies: rho = 5/10 -+ t sd/sqrt(3)/10, sd 1, t of 2 degrees of freedom 4.302653.
TEST_CASE("a reduction from a constant base has the interval of the changed amounts", "[stats]") {
  const Reduction found =
      reduction(std::vector<double>{10.0, 10.0, 10.0}, std::vector<double>{4.0, 5.0, 6.0}, 0.95);

  REQUIRE(found.status == Status::kOk);
  CHECK(*found.share == Approx(0.5));
  CHECK(*found.lo == Approx(0.251586).epsilon(1e-5));
  CHECK(*found.hi == Approx(0.748414).epsilon(1e-5));
}

// The difference of two steps each, of which the one without communication takes 60 %: where the
// base's is nearly always told from 0, where it often is not, and where the change removes nothing.
TEST_CASE("95 % intervals of reductions cover 93 to 97 % of those that are given", "[stats]") {
  struct Case {
    double noise;  // of a step
    double removed;
    std::size_t blocks;
  };
  constexpr std::size_t replicates = 4000;
  for (const Case& one : {Case{0.03, 0.5, 8},
                          Case{0.1, 0.5, 8},
                          Case{0.2, 0.9, 5},
                          Case{0.1, 0.0, 5},
                          Case{0.1, 0.5, 20}}) {
    test::Noise noise(20261126);
    std::size_t given = 0;
    std::size_t covered = 0;
    for (std::size_t i = 0; i < replicates; ++i) {
      std::vector<double> base;
      std::vector<double> changed;
      for (std::size_t k = 0; k < one.blocks; ++k) {
        const double block = 1.0 + 0.05 * noise.normal();
        const auto step = [&](double mean) { return block * (mean + one.noise * noise.normal()); };
        base.push_back(step(1.0) - step(0.6));
        changed.push_back(step(0.6 + 0.4 * (1.0 - one.removed)) - step(0.6));
      }
      const Reduction found = reduction(base, changed, 0.95);
      if (found.status == Status::kOk) {
        ++given;
        covered += *found.lo <= one.removed && one.removed <= *found.hi ? 1U : 0U;
      }
    }
    INFO(one.noise << " removed " << one.removed << " over " << one.blocks << ": " << covered
                   << " of " << given);
    CHECK(given > replicates / 4);
    CHECK(static_cast<double>(covered) > 0.93 * static_cast<double>(given));
    CHECK(static_cast<double>(covered) < 0.97 * static_cast<double>(given));
  }
}

}  // namespace
