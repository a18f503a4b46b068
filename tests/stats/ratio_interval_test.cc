#include "stats/ratio_interval.h"

#include <cmath>
#include <vector>

#include "stats/compare.h"
#include "stats/equivalence.h"
#include "stats/reference/two_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

const std::vector<double> kBase{0.202, 0.199, 0.205, 0.201, 0.198};
const std::vector<double> kCell{0.101, 0.104, 0.099, 0.103, 0.100};

using Method = RatioInterval (*)(std::span<const double>, std::span<const double>, double);

TEST_CASE("swapping the two cells gives the reciprocal ratio and interval", "[stats]") {
  const Method method =
      GENERATE(log_ratio_delta, log_ratio_delta_paired, log_ratio_welch, log_ratio_paired);

  const RatioInterval forth = method(kBase, kCell, 0.95);
  const RatioInterval back = method(kCell, kBase, 0.95);

  REQUIRE(forth.status == Status::kOk);
  CHECK(*forth.ratio * *back.ratio == Approx(1.0).epsilon(1e-14));
  CHECK(*forth.lo * *back.hi == Approx(1.0).epsilon(1e-14));
  CHECK(*forth.p == Approx(*back.p).epsilon(1e-10));
}

TEST_CASE("one trial a side gives the ratio without an interval", "[stats]") {
  const Method method =
      GENERATE(log_ratio_delta, log_ratio_delta_paired, log_ratio_welch, log_ratio_paired);

  const RatioInterval r = method(std::vector<double>{2.0}, std::vector<double>{1.0}, 0.95);

  CHECK(r.status == Status::kInsufficientData);
  CHECK(*r.ratio == Approx(2.0));
  CHECK_FALSE(r.lo.has_value());
  CHECK_FALSE(r.p.has_value());
}

TEST_CASE("cells without any spread are not tested", "[stats]") {
  const Method method =
      GENERATE(log_ratio_delta, log_ratio_delta_paired, log_ratio_welch, log_ratio_paired);

  const RatioInterval r = method(std::vector<double>(3, 2.0), std::vector<double>(3, 1.0), 0.95);

  CHECK(r.status == Status::kZeroVariance);
  CHECK(*r.ratio == Approx(2.0));
  CHECK_FALSE(r.p.has_value());
  CHECK_FALSE(r.lo.has_value());
}

TEST_CASE("block ratios equal up to rounding count as no spread", "[stats]") {
  std::vector<double> tripled;
  for (const double value : kBase) {
    tripled.push_back(3.0 * value);
  }

  CHECK(log_ratio_paired(tripled, kBase, 0.95).status == Status::kZeroVariance);
  CHECK(log_ratio_delta_paired(tripled, kBase, 0.95).status == Status::kZeroVariance);
}

TEST_CASE("the ratio of means over blocks agrees with a calculation by hand", "[stats]") {
  const RatioInterval r = log_ratio_delta_paired(
      std::vector<double>{1.0, 2.0, 3.0}, std::vector<double>{2.0, 3.0, 4.0}, 0.95);

  // Over their means: 1/2, 1, 3/2 and 2/3, 1, 4/3. Differences -1/6, 0, 1/6: sd 1/6, standard error
  // 0.0962250, t(0.975, 2) = 4.302653, spread exp(0.414023) = 1.512890 around 2/3.
  CHECK(r.status == Status::kOk);
  CHECK(*r.ratio == Approx(2.0 / 3.0));
  CHECK(*r.se_log == Approx(0.0962250).epsilon(1e-6));
  CHECK(*r.df == 2.0);
  CHECK(*r.lo == Approx(0.440658).epsilon(1e-5));
  CHECK(*r.hi == Approx(1.008593).epsilon(1e-5));
  CHECK(*r.p > 0.05);
}

TEST_CASE("blocks of two lengths are no pairs", "[stats]") {
  const RatioInterval r = log_ratio_delta_paired(kBase, std::vector<double>{0.1, 0.2}, 0.95);

  CHECK(r.status == Status::kInvalidInput);
  CHECK_FALSE(r.ratio.has_value());
}

// One launch in ten is three times as slow: machine time is 1.2 of the base's, its geometric mean
// 3^(1/10) = 1.12.
TEST_CASE("slow launches count in the ratio of means", "[stats]") {
  const std::vector<double> base{0.99, 1.01, 1.0, 1.0, 1.0, 0.98, 1.02, 1.0, 1.0, 1.0};
  std::vector<double> cell(10, 1.0);
  cell[3] = 3.0;

  CHECK(*log_ratio_delta_paired(cell, base, 0.95).ratio == Approx(1.2));
  CHECK(*log_ratio_paired(cell, base, 0.95).ratio == Approx(1.116).epsilon(1e-3));
}

TEST_CASE("a time of zero or below is refused", "[stats]") {
  const Method method =
      GENERATE(log_ratio_delta, log_ratio_delta_paired, log_ratio_welch, log_ratio_paired);

  CHECK(method(std::vector<double>{1.0, 0.0}, std::vector<double>{1.0, 2.0}, 0.95).status ==
        Status::kInvalidInput);
}

TEST_CASE("pairing removes a drift that both cells of a block share", "[stats]") {
  std::vector<double> base = kBase;
  std::vector<double> cell = kCell;
  for (std::size_t k = 0; k < base.size(); ++k) {
    const double drift = 1.0 + 0.1 * static_cast<double>(k);
    base[k] *= drift;
    cell[k] *= drift;
  }

  const RatioInterval still = log_ratio_paired(kBase, kCell, 0.95);
  const RatioInterval drifting = log_ratio_paired(base, cell, 0.95);

  CHECK(*drifting.lo == Approx(*still.lo).epsilon(1e-12));
  CHECK(*drifting.hi == Approx(*still.hi).epsilon(1e-12));
  // Of means, later blocks count for more: nearly, and still far from the unpaired interval.
  const RatioInterval of_means = log_ratio_delta_paired(base, cell, 0.95);
  CHECK(*of_means.se_log == Approx(*still.se_log).epsilon(0.25));
  CHECK(*log_ratio_delta(base, cell, 0.95).se_log > 5.0 * *of_means.se_log);
}

TEST_CASE("equivalence means that the 90 % interval lies inside the margin", "[stats]") {
  const std::vector<double> a{1.00, 1.01, 0.99, 1.005, 0.995, 1.002};
  const std::vector<double> b{1.001, 1.008, 0.992, 1.003, 0.996, 1.004};
  for (const double margin : {0.002, 0.004, 0.006, 0.008, 0.01, 0.02}) {
    for (const auto method : {tost_log_ratio, tost_log_ratio_paired}) {
      const Equivalence e = method(a, b, margin, 0.05);
      const bool is_inside = *e.lo > 1.0 / (1.0 + margin) && *e.hi < 1.0 + margin;
      CHECK((*e.p < 0.05) == is_inside);
    }
  }
}

TEST_CASE("paired equivalence uses the paired interval", "[stats]") {
  const Equivalence e = tost_log_ratio_paired(kBase, kCell, 0.05, 0.05);
  const RatioInterval r = log_ratio_paired(kBase, kCell, 0.90);

  CHECK(*e.lo == Approx(*r.lo).epsilon(1e-14));
  CHECK(*e.hi == Approx(*r.hi).epsilon(1e-14));
  CHECK(*e.p > 0.05);
}

TEST_CASE("an equivalence test shares the numbers of the interval it stands beside", "[stats]") {
  const Method method = GENERATE(log_ratio_delta, log_ratio_delta_paired);
  const Equivalence e = tost_ratio(method(kBase, kCell, 0.95), 0.05, 0.05);
  const RatioInterval r = method(kBase, kCell, 0.90);

  CHECK(*e.df == *r.df);
  CHECK(*e.lo == Approx(*r.lo).epsilon(1e-14));
  CHECK(*e.hi == Approx(*r.hi).epsilon(1e-14));
}

TEST_CASE("an equivalence test without spread or margin does not exist", "[stats]") {
  const std::vector<double> same(3, 1.0);

  CHECK(tost_log_ratio(same, same, 0.02, 0.05).status == Status::kZeroVariance);
  CHECK_FALSE(tost_log_ratio(same, same, 0.02, 0.05).p.has_value());
  CHECK(tost_log_ratio(kBase, kCell, 0.0, 0.05).status == Status::kInvalidInput);
}

TEST_CASE("microsecond noise does not underflow the degrees of freedom", "[stats]") {
  const std::vector<double> a{1e-90, 2e-90, 3e-90};
  const std::vector<double> b{2e-90, 4e-90, 3e-90};

  const Difference d = welch_t(a, b, 0.95);

  REQUIRE(d.status == Status::kOk);
  CHECK(*d.df == Approx(4.0));  // equal sizes and variances: n1 + n2 - 2
}

}  // namespace
