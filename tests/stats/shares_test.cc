// Shares of marks in groups, with strata.
#include "stats/shares.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tests/stats/simulation/noise.h"
#include "tests/stats/simulation/plain_shares.h"
#include "tests/support/catch.h"

using namespace scalestudy::stats;
using scalestudy::test::distance;
using scalestudy::test::expected_marks;
using scalestudy::test::mixed;
using scalestudy::test::Noise;
using scalestudy::test::plain_p;
using scalestudy::test::Strata;

namespace {

// Observations of `groups` groups. Strata differ in size and in how many are marked, up to nearly
// all; some of the groups are met more often, or none is.
Strata random_strata(Noise& noise, std::size_t count, std::size_t size, std::size_t groups) {
  const double more = noise.uniform() < 0.3 ? 0.0 : noise.uniform();
  Strata strata(count);
  for (std::vector<Mark>& stratum : strata) {
    const double chance = 0.1 + 0.8 * noise.uniform();
    for (std::size_t i = 0; i < size; ++i) {
      const auto group = static_cast<std::size_t>(noise.uniform() * static_cast<double>(groups));
      const double own = group < groups / 2 ? chance + more * (1.0 - chance) : chance;
      if (noise.uniform() < 0.9) {
        stratum.push_back({.group = group, .is_marked = noise.uniform() < own});
      }
    }
  }
  return strata;
}

Strata coarser(Strata strata, std::span<const std::size_t> coarse) {
  for (std::vector<Mark>& stratum : strata) {
    for (Mark& mark : stratum) {
      mark.group = coarse[mark.group];
    }
  }
  return strata;
}

// The share of all arrangements of the marks whose sum is as large as the observed one.
class Arrangements {
 public:
  Arrangements(Strata strata, std::size_t groups)
      : strata_(mixed(std::move(strata))),
        expected_(expected_marks(strata_, groups)),
        least_(distance(strata_, expected_) * (1.0 - 1e-9)) {
    arrange(0);
  }

  double p() const { return as_large_ / all_; }

 private:
  void arrange(std::size_t stratum) {
    if (stratum == strata_.size()) {
      all_ += 1.0;
      as_large_ += distance(strata_, expected_) >= least_ ? 1.0 : 0.0;
      return;
    }
    std::vector<bool> marks;
    for (const Mark& mark : strata_[stratum]) {
      marks.push_back(mark.is_marked);
    }
    std::sort(marks.begin(), marks.end());
    do {
      for (std::size_t i = 0; i < marks.size(); ++i) {
        strata_[stratum][i].is_marked = marks[i];
      }
      arrange(stratum + 1);
    } while (std::next_permutation(marks.begin(), marks.end()));
  }

  Strata strata_;
  std::vector<double> expected_;
  double least_;
  double all_ = 0.0;
  double as_large_ = 0.0;
};

// The standard error of a p value: that of a share of 9,999 draws, or of 500 / l, whose relative
// error is that of a negative binomial number l.
double p_error(double p) {
  return std::max(std::sqrt(p * (1.0 - p) / 9999.0), p * std::sqrt((1.0 - p) / 500.0));
}

}  // namespace

TEST_CASE("marks that always meet the same of two groups have the p of a coin", "[stats]") {
  // Of 2^6 ways to mark one of two in six strata, 2 are as far apart: all of one group, or all of
  // the other. p = 2 / 64 = 0.03125, here to within 4 standard errors of 9,999 draws (0.007).
  const Strata strata(6, {{.group = 0, .is_marked = false}, {.group = 1, .is_marked = true}});

  const EqualShares shares = equal_shares(strata, 1);

  CHECK(shares.status == Status::kOk);
  CHECK(shares.p.value() == Approx(0.03125).margin(0.007));
  CHECK(equal_shares(strata, 1).p == shares.p);
}

TEST_CASE("strata that are marked as a whole say nothing of groups", "[stats]") {
  const std::vector<Mark> all{{0, true}, {1, true}};
  const std::vector<Mark> none{{0, false}, {1, false}};
  CHECK(equal_shares(Strata{all, none, all}, 1).status == Status::kZeroVariance);
  CHECK_FALSE(equal_shares(Strata{all, none, all}, 1).p);
  CHECK(equal_shares(Strata{}, 1).status == Status::kInsufficientData);
  CHECK(equal_shares(Strata{{{0, true}, {0, false}}}, 1).status == Status::kInsufficientData);
}

TEST_CASE("shares that differ by chance alone are called different in one study of twenty",
          "[stats]") {
  // Ten blocks of four cells in random order; a disturbance hits whole blocks, neighbours, or one.
  Noise noise(7);
  constexpr int studies = 400;
  int found = 0;
  for (int study = 0; study < studies; ++study) {
    Strata strata;
    for (int block = 0; block < 10; ++block) {
      std::vector<Mark> order;
      for (std::size_t group = 0; group < 4; ++group) {
        const auto at =
            static_cast<std::size_t>(noise.uniform() * static_cast<double>(order.size() + 1));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), Mark{.group = group});
      }
      const auto hit = static_cast<std::size_t>(noise.uniform() * 5.0);
      for (std::size_t i = 0; i < hit; ++i) {
        order[i].is_marked = true;
      }
      strata.push_back(order);
    }
    found += equal_shares(strata, 3).p.value_or(1.0) < 0.05 ? 1 : 0;
  }
  CHECK(found <= 36);  // 5 % and 3.7 standard errors
}

TEST_CASE("a group that is met twice as often is found", "[stats]") {
  Noise noise(8);
  int found = 0;
  for (int study = 0; study < 100; ++study) {
    Strata strata;
    for (int block = 0; block < 20; ++block) {
      strata.push_back(
          {{0, noise.uniform() < 0.3}, {1, noise.uniform() < 0.3}, {2, noise.uniform() < 0.8}});
    }
    found += equal_shares(strata, 3).p.value_or(1.0) < 0.05 ? 1 : 0;
  }
  CHECK(found >= 80);
}

TEST_CASE("the p value is the share of all arrangements, for groups and for coarse ones",
          "[stats]") {
  Noise noise(9);
  const std::vector<std::size_t> coarse{0, 1, 0, 2};
  int compared = 0;
  int below = 0;
  for (int series = 0; series < 150; ++series) {
    const Strata strata = random_strata(noise, 4, 5, 4);
    const EqualShares shares = equal_shares(strata, 4, coarse);
    if (shares.status == Status::kOk && shares.coarse_p) {
      const double fine = Arrangements(strata, 4).p();
      const double rough = Arrangements(coarser(strata, coarse), 3).p();
      CAPTURE(series, fine, *shares.p, rough, *shares.coarse_p);
      // Five standard errors, and what the observed arrangement adds to a share of 10,000.
      CHECK(std::abs(*shares.p - fine) <= 5.0 * p_error(fine) + 1e-4);
      CHECK(std::abs(*shares.coarse_p - rough) <= 5.0 * p_error(rough) + 1e-4);
      ++compared;
      below += fine < 0.05 ? 1 : 0;
    }
  }
  CHECK(compared >= 120);
  CHECK(below >= 10);
}

TEST_CASE("decisions at 5 % are those of the plain test, unless its p is within its error of 5 %",
          "[stats]") {
  Noise noise(10);
  int significant = 0;
  for (int series = 0; series < 400; ++series) {
    const auto groups = static_cast<std::size_t>(2.0 + 5.0 * noise.uniform());
    const Strata strata = random_strata(noise, 3 + series % 4, 6 + series % 7, groups);
    const double ours = equal_shares(strata, 5).p.value_or(1.0);
    const double plain = plain_p(strata, groups, 6);
    CAPTURE(series, ours, plain);
    significant += plain < 0.05 ? 1 : 0;
    if ((ours < 0.05) != (plain < 0.05)) {
      CHECK(std::abs(plain - 0.05) < 4.0 * std::sqrt(2.0 * 0.05 * 0.95 / 9999.0));
    }
    // Both are drawn, so that they differ by sqrt(2) standard errors of one.
    CHECK(std::abs(ours - plain) <= 5.0 * std::sqrt(2.0) * p_error(plain) + 1e-4);
  }
  CHECK(significant >= 80);
  CHECK(significant <= 320);
}

TEST_CASE("a test ends with its 500th sum as large as the observed one", "[stats]") {
  Noise noise(11);
  int ended = 0;
  for (int series = 0; series < 100; ++series) {
    const double p = equal_shares(random_strata(noise, 4, 8, 4), 7).p.value_or(1.0);
    CAPTURE(series, p);
    CHECK(p >= 1e-4);
    if (p > 0.05) {
      const double draws = 500.0 / p;  // Besag & Clifford 1991: p = h / l
      CHECK(std::abs(draws - std::round(draws)) < 1e-6);
      CHECK(draws <= 9999.0);
      ++ended;
    } else {
      CHECK(std::abs(1e4 * p - std::round(1e4 * p)) < 1e-6);
    }
  }
  CHECK(ended >= 30);
  CHECK(ended <= 95);
}

TEST_CASE("coarse groups that are one have no p value, and every group needs one", "[stats]") {
  const Strata strata(6, {{.group = 0, .is_marked = false}, {.group = 1, .is_marked = true}});
  const std::vector<std::size_t> one{0, 0};
  const std::vector<std::size_t> same{0, 1};

  CHECK_FALSE(equal_shares(strata, 1).coarse_p);
  CHECK_FALSE(equal_shares(strata, 1, one).coarse_p);
  CHECK(equal_shares(strata, 1, one).p == equal_shares(strata, 1).p);
  CHECK(equal_shares(strata, 1, same).coarse_p == equal_shares(strata, 1).p);
  CHECK(equal_shares(strata, 1, std::span(one).first(1)).status == Status::kInvalidInput);
}
