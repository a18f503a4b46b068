#include "stats/reference/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <future>
#include <vector>

#include "stats/reference/resample.h"
#include "stats/summary.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

const std::vector<double> kSkewed{0.68, 0.70, 0.19, 0.61, 0.32, 2.39, 4.88, 0.07, 0.42, 0.55};

constexpr ResampledStatistic kMean = ResampledStatistic::kMean;
constexpr ResampledStatistic kMedian = ResampledStatistic::kMedian;

TEST_CASE("a bootstrap repeats to the bit from any thread, and follows its seed", "[stats]") {
  const BootstrapPlan plan{.seed = 7};
  const BootstrapInterval here = bootstrap_t(kSkewed, plan);
  std::vector<std::future<BootstrapInterval>> elsewhere;
  elsewhere.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    elsewhere.push_back(
        std::async(std::launch::async, [&plan] { return bootstrap_t(kSkewed, plan); }));
  }

  for (std::future<BootstrapInterval>& other : elsewhere) {
    const BootstrapInterval interval = other.get();
    CHECK(interval.lo == here.lo);
    CHECK(interval.hi == here.hi);
  }
  CHECK(bootstrap_t(kSkewed, {.seed = 8}).lo != here.lo);
}

// SplitMix64 with the state 0, first three words (Vigna's splitmix64.c, run on its own).
TEST_CASE("the words are SplitMix64's", "[stats]") {
  // The seed that the mixing maps to a state of 0.
  RandomWords words(0x5CA1E57D00000000U);

  CHECK(words.next() == 0xE220A8397B1DCDAFU);
  CHECK(words.next() == 0x6E789E6AA1B965F4U);
  CHECK(words.next() == 0x06C45D188009454FU);
}

// Each count is binomial(70000, 1/7): mean 10000, standard deviation 92.6.
TEST_CASE("draws are uniform", "[stats]") {
  const std::vector<double> values{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  std::vector<std::size_t> counts(values.size(), 0);
  std::vector<double> resample(values.size());
  RandomWords words(1);
  for (int i = 0; i < 10000; ++i) {
    draw_values(values, words, resample);
    for (const double value : resample) {
      ++counts[static_cast<std::size_t>(value)];
    }
  }

  for (const std::size_t count : counts) {
    CHECK(std::abs(static_cast<double>(count) - 10000.0) < 5.0 * 92.6);
  }
}

// A sum of n draws has mean n m and variance n s^2 (divisor n); so has its table-made twin, for
// every way in which n splits into tuples.
TEST_CASE("sums of tuples have the moments of single draws", "[stats]") {
  for (const std::size_t n : {2U, 3U, 5U, 10U, 20U, 33U, 50U, 1100U}) {
    INFO("n " << n);
    std::vector<double> values;
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(static_cast<double>(i));
      squares += values.back() * values.back();
    }
    const auto count = static_cast<double>(n);
    const double centre = (count - 1.0) / 2.0;
    const double variance = squares / count - centre * centre;
    const SumSampler sampler(values);
    RandomWords words(2);
    std::vector<double> sums;
    double drawn_squares = 0.0;
    for (int i = 0; i < 20000; ++i) {
      const Sums drawn = sampler.draw(words);
      sums.push_back(drawn.sum);
      drawn_squares += drawn.squares;
    }
    const Moments m = moments(sums);

    CHECK(std::abs(m.mean - count * centre) < 5.0 * std::sqrt(count * variance / 20000.0));
    CHECK(m.variance / (count * variance) == Approx(1.0).margin(5.0 * std::sqrt(2.0 / 20000.0)));
    CHECK(drawn_squares / 20000.0 == Approx(squares).epsilon(0.05));
  }
}

TEST_CASE("equal trials give a bootstrap interval of width zero that says so", "[stats]") {
  const std::vector<double> equal(6, 0.2);

  const BootstrapInterval b = bootstrap_t(equal, {.seed = 1});

  CHECK(b.status == Status::kZeroVariance);
  CHECK(b.lo == 0.2);
  CHECK(b.hi == 0.2);
  CHECK(bootstrap_percentile_ratio(equal, equal, {.seed = 1}).hi == 1.0);
}

TEST_CASE("a bootstrap of fewer than two trials is absent", "[stats]") {
  const std::vector<double> one{0.2};

  CHECK(bootstrap_bca({}, kMean, {.seed = 1}).status == Status::kInsufficientData);
  CHECK(bootstrap_bca(one, kMedian, {.seed = 1}).estimate == 0.2);
  CHECK_FALSE(bootstrap_bca(one, kMedian, {.seed = 1}).lo.has_value());
  CHECK(bootstrap_percentile_ratio(one, kSkewed, {.seed = 1}).status == Status::kInsufficientData);
}

TEST_CASE("values and plans without meaning are refused", "[stats]") {
  const std::vector<double> not_finite{1.0, std::nan(""), 2.0};
  const std::vector<double> negative{1.0, -1.0, 2.0};

  CHECK(bootstrap_t(not_finite, {.seed = 1}).status == Status::kInvalidInput);
  CHECK(bootstrap_t(kSkewed, {.seed = 1, .level = 95.0}).status == Status::kInvalidInput);
  CHECK(bootstrap_t(kSkewed, {.seed = 1, .resamples = 0}).status == Status::kInvalidInput);
  CHECK(bootstrap_percentile_ratio(kSkewed, negative, {.seed = 1}).status == Status::kInvalidInput);
}

// 3/27 of the resamples of 3 trials repeat one value: without spread they bound nothing.
TEST_CASE("a studentised bootstrap of three trials is out of reach", "[stats]") {
  const std::vector<double> three{1.0, 1.1, 1.3};

  for (int i = 0; i < 50; ++i) {  // a repeated value's spread is 0 only up to rounding
    const std::vector<double> others{0.1, 0.2 + 0.013 * i, 0.3 + 0.07 * i};
    CHECK(bootstrap_t(others, {.seed = 1}).status == Status::kUnattainable);
  }
  CHECK(bootstrap_percentile(three, kMean, {.seed = 1}).status == Status::kOk);
}

// The 2.5 % point of 38 resamples would be the 0.975th smallest.
TEST_CASE("too few resamples for the level are said to be so", "[stats]") {
  CHECK(bootstrap_percentile(kSkewed, kMean, {.seed = 1, .resamples = 38}).status ==
        Status::kUnattainable);
  CHECK(bootstrap_percentile(kSkewed, kMean, {.seed = 1, .resamples = 39}).status == Status::kOk);
}

TEST_CASE("the ends of a percentile interval of a median are data or their middles", "[stats]") {
  const std::vector<double> x{5.0, 1.0, 9.0};

  const BootstrapInterval b = bootstrap_percentile(x, kMedian, {.seed = 1});

  // P(median of the resample = smallest) = 7/27.
  CHECK(b.lo == 1.0);
  CHECK(b.hi == 9.0);
}

// Scaling by a power of two is exact, so the draws and the order of all sums stay the same.
TEST_CASE("bootstrap intervals scale with the unit", "[stats]") {
  std::vector<double> doubled = kSkewed;
  for (double& value : doubled) {
    value *= 2.0;
  }
  const BootstrapPlan plan{.seed = 3};

  CHECK(*bootstrap_t(doubled, plan).lo == 2.0 * *bootstrap_t(kSkewed, plan).lo);
  CHECK(*bootstrap_bca(doubled, kMean, plan).hi == 2.0 * *bootstrap_bca(kSkewed, kMean, plan).hi);
  CHECK(bootstrap_percentile_ratio(doubled, kSkewed, plan).estimate == 2.0);
}

// All 5^5 resamples, each once: the distribution that drawing approaches.
std::vector<double> every_studentised_resample(const std::vector<double>& x) {
  const double centre = *mean(x);
  std::vector<double> all;
  for (std::size_t code = 0; code < 3125; ++code) {
    std::vector<double> resample;
    for (std::size_t rest = code; resample.size() < 5; rest /= 5) {
      resample.push_back(x[rest % 5]);
    }
    const Moments m = moments(resample);
    all.push_back(m.is_constant ? std::copysign(1e300, m.mean - centre)
                                : (m.mean - centre) / std::sqrt(m.variance / 5.0));
  }
  std::sort(all.begin(), all.end());
  return all;
}

// The ends lie within five Monte-Carlo standard errors of the enumerated quantiles.
TEST_CASE("a studentised bootstrap approaches the one of all resamples", "[stats]") {
  const std::vector<double> x{0.68, 0.19, 2.39, 0.42, 1.10};
  const std::vector<double> all = every_studentised_resample(x);
  const double slack = 5.0 * std::sqrt(0.1 * 0.9 / 199'999.0);
  const auto end_at = [&](double p) {
    const double se = std::sqrt(moments(x).variance / 5.0);
    return *mean(x) - all.at(static_cast<std::size_t>(p * 3125.0)) * se;
  };

  const BootstrapInterval b = bootstrap_t(x, {.seed = 6, .resamples = 199'999, .level = 0.8});

  CHECK(*b.hi <= end_at(0.1 - slack) + 1e-12);
  CHECK(*b.hi >= end_at(0.1 + slack) - 1e-12);
  CHECK(*b.lo <= end_at(0.9 - slack) + 1e-12);
  CHECK(*b.lo >= end_at(0.9 + slack) - 1e-12);
}

// Mirrored data draw mirrored resamples, so the same number is cut off at either end.
TEST_CASE("both tails of a percentile interval cut off as many resamples", "[stats]") {
  std::vector<double> mirrored;
  for (const double value : kSkewed) {
    mirrored.push_back(-value);
  }
  const BootstrapPlan plan{.seed = 9, .resamples = 399};

  const BootstrapInterval b = bootstrap_percentile(kSkewed, kMean, plan);
  const BootstrapInterval m = bootstrap_percentile(mirrored, kMean, plan);

  CHECK(*m.lo == Approx(-*b.hi).epsilon(1e-12));
  CHECK(*m.hi == Approx(-*b.lo).epsilon(1e-12));
}

TEST_CASE("a ratio of sides of different size is one of means", "[stats]") {
  const std::vector<double> a{2.0, 2.02, 1.98, 2.01};
  const std::vector<double> b{1.0, 1.01, 0.99, 1.0, 1.0, 1.0, 0.995, 1.005};

  const BootstrapInterval ratio = bootstrap_percentile_ratio(a, b, {.seed = 5});

  CHECK(*ratio.lo > 1.95);
  CHECK(*ratio.hi < 2.05);
  CHECK(*ratio.lo < *ratio.estimate);
  CHECK(*ratio.estimate < *ratio.hi);
}

TEST_CASE("BCa and studentised intervals follow the skew of the data", "[stats]") {
  const BootstrapPlan plan{.seed = 4};
  const BootstrapInterval plain = bootstrap_percentile(kSkewed, kMean, plan);
  const BootstrapInterval bca = bootstrap_bca(kSkewed, kMean, plan);
  const BootstrapInterval studentised = bootstrap_t(kSkewed, plan);

  CHECK(*bca.lo > *plain.lo);
  CHECK(*bca.hi > *plain.hi);
  CHECK(*studentised.hi > *bca.hi);
  CHECK(*bca.z0 > 0.0);
}

}  // namespace
