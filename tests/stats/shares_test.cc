// Shares of marks in groups, with strata.
#include "stats/shares.h"

#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy::stats;
using scalestudy::test::Noise;

using Strata = std::vector<std::vector<Mark>>;

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
