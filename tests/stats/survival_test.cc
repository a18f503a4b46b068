// Times until something happens, some of them censored.
#include "stats/survival.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy::stats;
using scalestudy::test::Noise;

namespace {

std::vector<Lifetime> lifetimes(const std::vector<double>& events,
                                const std::vector<double>& censored) {
  std::vector<Lifetime> all;
  for (const double time : events) {
    all.push_back({time, true});
  }
  for (const double time : censored) {
    all.push_back({time, false});
  }
  return all;
}

// Weeks of remission of children with leukaemia, with 6-mercaptopurine and without: Freireich et
// al. 1963, as printed by Gehan 1965 and in most textbooks since.
const std::vector<Lifetime> kTreated =
    lifetimes({6, 6, 6, 7, 10, 13, 16, 22, 23}, {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35});
const std::vector<Lifetime> kPlacebo =
    lifetimes({1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23}, {});

// The steps by hand: 18/21 = 0.857, x 16/17 = 0.807, x 14/15 = 0.753, x 11/12 = 0.690,
// x 10/11 = 0.627, x 6/7 = 0.538, x 5/6 = 0.448, as printed by Kleinbaum & Klein.
TEST_CASE("a survival curve keeps what is censored at risk until it ends", "[stats]") {
  const std::vector<SurvivalStep> steps = kaplan_meier(kTreated, 0.95);

  const std::vector<double> times = {6, 7, 10, 13, 16, 22, 23};
  const std::vector<std::size_t> at_risk = {21, 17, 15, 12, 11, 7, 6};
  const std::vector<double> survival = {0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448};
  REQUIRE(steps.size() == times.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    INFO(times[i]);
    CHECK(steps[i].time == times[i]);
    CHECK(steps[i].at_risk == at_risk[i]);
    CHECK(steps[i].survival == Approx(survival[i]).margin(5.1e-4));
  }
}

// lifelines 0.30.3, KaplanMeierFitter and median_survival_times of its log-log interval: 23
// [13, inf) and 8 [4, 11]; R's survfit with conf.type="log-log" prints the same.
TEST_CASE("a median has the interval at which that of the curve holds one half", "[stats]") {
  const MedianLifetime treated = median_lifetime(kTreated, 0.95);
  CHECK(treated.status == Status::kOk);
  CHECK(treated.n == 21);
  CHECK(treated.events == 9);
  CHECK(treated.median == 23.0);
  CHECK(treated.lo == 13.0);
  CHECK_FALSE(treated.hi.has_value());
  const MedianLifetime placebo = median_lifetime(kPlacebo, 0.95);
  CHECK(placebo.median == 8.0);
  CHECK(placebo.lo == 4.0);
  CHECK(placebo.hi == 11.0);
}

TEST_CASE("without the event in half of them there is a lower bound and no median", "[stats]") {
  const MedianLifetime few = median_lifetime(lifetimes({3, 4}, {9, 9, 9}), 0.95);
  CHECK(few.status == Status::kNotReached);
  CHECK_FALSE(few.median.has_value());
  CHECK(few.lo == 3.0);
  CHECK_FALSE(few.hi.has_value());

  // Four cannot promise 95 %: all of them are above the median in 1 of 16.
  const MedianLifetime four = median_lifetime(lifetimes({3, 4, 5, 6}, {}), 0.95);
  CHECK(four.status == Status::kUnattainable);
  CHECK(four.median == 4.5);
  CHECK_FALSE(four.lo.has_value());
  CHECK_FALSE(four.hi.has_value());
  // Nor can thirteen promise 99.99 %: 2^-13 is 1.2 in 10,000. At S = 1/13 the upper limit is
  // exp(-2.565 exp(-3.891 x 0.3746)) = 0.55.
  const MedianLifetime thirteen =
      median_lifetime(lifetimes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {}), 0.9999);
  CHECK(thirteen.status == Status::kUnattainable);
  CHECK_FALSE(thirteen.hi.has_value());
  CHECK(median_lifetime(lifetimes({3, 4, 5, 6}, {}), 0.90).lo == 3.0);

  // Half of them at the end of the curve: nothing says when the others would follow.
  CHECK(median_lifetime(lifetimes({3, 4}, {9, 9}), 0.95).median == 4.0);

  const MedianLifetime none = median_lifetime(lifetimes({}, {9, 9, 9}), 0.95);
  CHECK(none.status == Status::kNotReached);
  CHECK_FALSE(none.lo.has_value());
  CHECK(median_lifetime({}, 0.95).status == Status::kInsufficientData);
  CHECK(median_lifetime(lifetimes({0}, {}), 0.95).status == Status::kInvalidInput);
  CHECK(median_lifetime(lifetimes({1}, {}), 95).status == Status::kInvalidInput);
}

// 16.79 on one degree of freedom, as R's survdiff and most textbooks print; P(chi2 > 16.79) =
// 4.17e-5 (lifelines 0.30.3, logrank_test). 42 choose 21 is too much to count.
TEST_CASE("many lifetimes are compared by the chi-squared distribution", "[stats]") {
  const LogRank rank = log_rank(kTreated, kPlacebo);
  REQUIRE(rank.status == Status::kOk);
  CHECK_FALSE(rank.is_exact);
  CHECK(rank.excess == Approx(21.0 - 10.75).margin(0.005));  // observed and expected, as printed
  CHECK(*rank.p == Approx(4.17e-5).epsilon(0.005));
  CHECK(log_rank(kPlacebo, kTreated).p == rank.p);
}

// Three against three, all of one before all of the other: 2 of the 20 divisions are as extreme.
TEST_CASE("few lifetimes are compared by counting divisions, and cannot give any p", "[stats]") {
  const LogRank rank = log_rank(lifetimes({4, 5}, {6}), lifetimes({1, 2, 3}, {}));
  CHECK(rank.is_exact);
  CHECK(rank.excess > 0.0);
  CHECK(*rank.p == Approx(0.1));
  CHECK(*rank.least_p == Approx(0.1));
  // 2 of 252.
  const LogRank five = log_rank(lifetimes({6, 7, 8, 9, 10}, {}), lifetimes({1, 2, 3, 4, 5}, {}));
  CHECK(*five.p == Approx(2.0 / 252.0));
  CHECK(*log_rank(lifetimes({1, 3}, {}), lifetimes({2, 2.5}, {})).p > 0.3);
}

// 22 choose 7 is 170,544, 22 choose 8 is 319,770; at most 200,000 are counted.
TEST_CASE("as many divisions are counted as there are of these sizes", "[stats]") {
  const std::vector<double> times = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto few = lifetimes({1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5}, {});
  CHECK(log_rank(lifetimes(times, {}), few).is_exact);
  CHECK(log_rank(few, lifetimes(times, {})).is_exact);
  CHECK_FALSE(log_rank(lifetimes(times, {}), lifetimes({1, 2, 3, 4, 5, 6, 7, 8}, {})).is_exact);
}

TEST_CASE("nothing is compared without an event or without a side", "[stats]") {
  CHECK(log_rank({}, kPlacebo).status == Status::kInsufficientData);
  CHECK(log_rank(lifetimes({}, {3}), lifetimes({}, {4})).status == Status::kInsufficientData);
  CHECK(log_rank(lifetimes({-1}, {3}), lifetimes({}, {4})).status == Status::kInvalidInput);
}

// Trials whose time to an accuracy varies by 20 %, cut off at the time at which a share of them is
// still without it; METHODS.md has the figures of 100,000 studies each.
TEST_CASE("the interval of a median covers what it promises at few trials", "[stats]") {
  constexpr std::size_t studies = 2000;
  const double band = 4.0 * std::sqrt(0.95 * 0.05 / studies);
  for (const std::size_t trials : {5U, 8U, 20U}) {
    for (const double cut : {1e9, 1.18, 1.05}) {  // exp(0.2 z): none, 20 % and 40 % beyond it
      Noise noise(20261126);
      std::size_t covered = 0;
      for (std::size_t i = 0; i < studies; ++i) {
        std::vector<Lifetime> times;
        for (std::size_t trial = 0; trial < trials; ++trial) {
          const double time = noise.factor(0.2);
          times.push_back({std::min(time, cut), time <= cut});
        }
        const MedianLifetime median = median_lifetime(times, 0.95);
        covered += median.lo.value_or(0.0) <= 1.0 && 1.0 <= median.hi.value_or(1e9) ? 1 : 0;
      }
      INFO(trials << " trials cut off at " << cut);
      CHECK(static_cast<double>(covered) / studies >= 0.95 - band);
    }
  }
}

}  // namespace
