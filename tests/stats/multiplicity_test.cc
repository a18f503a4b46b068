#include "stats/multiplicity.h"

#include <limits>
#include <optional>
#include <vector>

#include "stats/reference/adjustments.h"
#include "stats/verdict.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

using P = std::vector<std::optional<double>>;

TEST_CASE("an empty family stays empty", "[stats]") {
  const AdjustedP result = holm(P{});

  CHECK(result.status == Status::kOk);
  CHECK(result.adjusted.empty());
}

TEST_CASE("a missing p value does not count in the size of the family", "[stats]") {
  for (const auto adjust : {holm, benjamini_hochberg, bonferroni}) {
    const AdjustedP result = adjust(P{0.01, std::nullopt});

    CHECK(result.adjusted[0] == 0.01);
    CHECK_FALSE(result.adjusted[1].has_value());
  }
}

TEST_CASE("a p value outside [0, 1] refuses the whole family", "[stats]") {
  for (const auto adjust : {holm, benjamini_hochberg, bonferroni}) {
    const AdjustedP result = adjust(P{0.5, 1.5});

    CHECK(result.status == Status::kInvalidInput);
    CHECK(result.adjusted.empty());
  }
}

TEST_CASE("adjusted values keep the order of p and are ordered bh <= holm <= bonferroni",
          "[stats]") {
  test::Random random(5);
  INFO(random.describe());
  P p;
  for (int i = 0; i < 40; ++i) {
    p.emplace_back(random.uniform());
  }

  const P by_bh = benjamini_hochberg(p).adjusted;
  const P by_holm = holm(p).adjusted;
  const P by_bonferroni = bonferroni(p).adjusted;

  for (std::size_t i = 0; i < p.size(); ++i) {
    CHECK(*p[i] <= *by_bh[i]);
    CHECK(*by_bh[i] <= *by_holm[i]);
    CHECK(*by_holm[i] <= *by_bonferroni[i]);
    for (std::size_t j = 0; j < p.size(); ++j) {
      CHECK((*p[i] > *p[j] || *by_holm[i] <= *by_holm[j]));
    }
  }
}

VerdictInput clear_win() {
  VerdictInput input;
  input.ratio = 1.05;
  input.lo = 1.03;
  input.hi = 1.07;
  input.p_adjusted = 0.001;
  input.p_tost_adjusted = 0.9;
  input.margin = 0.02;
  return input;
}

TEST_CASE("a verdict needs every number and an ok status", "[stats]") {
  VerdictInput without_p = clear_win();
  without_p.p_adjusted.reset();
  VerdictInput flagged = clear_win();
  flagged.status = Status::kZeroVariance;

  CHECK(verdict(clear_win()).word == VerdictWord::kFaster);
  CHECK(verdict(without_p).word == VerdictWord::kNotEnoughData);
  CHECK(verdict(flagged).word == VerdictWord::kNotEnoughData);
}

TEST_CASE("a p of exactly alpha is not a difference", "[stats]") {
  VerdictInput input = clear_win();
  input.p_adjusted = 0.05;

  CHECK(verdict(input).word == VerdictWord::kNoDetectableDifference);
}

TEST_CASE("a verdict without a declared margin is refused", "[stats]") {
  VerdictInput input = clear_win();
  input.margin = 0.0;

  CHECK(verdict(input).status == Status::kInvalidInput);
  CHECK(verdict(input).word == VerdictWord::kNotEnoughData);
}

TEST_CASE("swapping the two cells swaps faster and slower", "[stats]") {
  VerdictInput swapped = clear_win();
  swapped.ratio = 1.0 / *clear_win().ratio;
  swapped.lo = 1.0 / *clear_win().hi;
  swapped.hi = 1.0 / *clear_win().lo;

  const JudgedRatio v = verdict(swapped);

  CHECK(v.word == VerdictWord::kSlower);
  CHECK(v.beyond_margin == verdict(clear_win()).beyond_margin);
}

// By hand, at 5 %: 0.001 < 0.05/4 and 0.014 < 0.05/3 are rejected, 0.03 > 0.05/2 is not.
TEST_CASE("one level decides on every member as Holm does", "[stats]") {
  const std::vector<std::optional<double>> p = {0.03, 0.001, std::nullopt, 0.2, 0.014};

  const Resolution resolution = resolve(p, 0.05);

  CHECK(resolution.family == 4);
  CHECK(resolution.rejected == 2);
  CHECK(resolution.alpha_star == Approx(0.025));
  const AdjustedP adjusted = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i]) {
      CHECK((*p[i] < resolution.alpha_star) == (*adjusted.adjusted[i] < 0.05));
    }
  }
}

TEST_CASE("where all are rejected nothing is left to allow for", "[stats]") {
  const std::vector<std::optional<double>> p = {0.001, 0.002};

  CHECK(resolve(p, 0.05).rejected == 2);
  CHECK(resolve(p, 0.05).alpha_star == Approx(0.05));
  CHECK(resolve({}, 0.05).family == 0);
}

// 0.02 < 0.05/2, but not with three further members, which are not rejected: 0.05/5.
TEST_CASE("members that may still come are allowed for", "[stats]") {
  const std::vector<std::optional<double>> p = {0.02, 0.005};

  CHECK(resolve(p, 0.05).rejected == 2);
  const Resolution with_more = resolve(p, 0.05, 3);
  CHECK(with_more.family == 5);
  CHECK(with_more.rejected == 1);
  CHECK(with_more.alpha_star == Approx(0.05 / 4.0));
}

TEST_CASE("a family of a fixed size has one level without steps", "[stats]") {
  CHECK(resolve_all(13, 0.05).alpha_star == Approx(0.05 / 13.0));
  CHECK(resolve_all(13, 0.05).rejected == 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double p : {1.5, nan}) {
    const Resolution invalid = resolve(std::vector<std::optional<double>>{p}, 0.05);
    CHECK(invalid.status == Status::kInvalidInput);
    CHECK(invalid.alpha_star == 0.0);  // so that nothing is resolved
  }
}

}  // namespace
