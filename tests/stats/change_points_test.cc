// Changes that are there are found, and those that are not seldom.
#include "stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy::stats;
using scalestudy::test::Noise;

namespace {

// `count` values of CV 2 %; from `change` on higher by `shift`.
std::vector<double> series(std::size_t count, std::size_t change, double shift, Noise& noise) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(noise.factor(0.02) * (i < change ? 1.0 : 1.0 + shift));
  }
  return values;
}

}  // namespace

TEST_CASE("two levels without noise change where they do", "[stats]") {
  std::vector<double> values(12, 1.0);
  values.resize(20, 2.0);

  const ChangePoints found = change_points(values, 0.05, 5, 1);

  REQUIRE(found.points.size() == 1);
  CHECK(found.points[0].first == 12);
  CHECK(found.points[0].earliest == 12);
  CHECK(found.points[0].latest == 12);
  CHECK(found.points[0].p <= 0.05);
}

TEST_CASE("a change nearer to an end than any tested split is where it is", "[stats]") {
  for (const std::size_t first : {4U, 10U}) {
    std::vector<double> values(first, 1.0);
    values.resize(14, 2.0);

    const ChangePoints found = change_points(values, 0.05, 5, 1);

    REQUIRE(found.points.size() == 1);
    CHECK(found.points[0].first == first);
    CHECK(found.points[0].earliest == first);
    CHECK(found.points[0].latest == first);
    CHECK(found.dependence == 0.0);  // the step of the change is none of the noise
  }
}

TEST_CASE("the range of places allows for how little few values tell of their spread", "[stats]") {
  // 10 draws of a normal distribution, 5 of one that is 4 standard deviations above it.
  const std::vector<double> values = {
      -1.4, 0.3, -1.8, 1.0, -2.0, 0.9, -0.5, 1.6, -0.8, 0.5, 4.2, 3.1, 4.8, 4.1, 4.9};

  const ChangePoints found = change_points(values, 0.05, 5, 1);

  REQUIRE(found.points.size() == 1);
  CHECK(found.points[0].first == 10);
  CHECK(found.points[0].earliest < 10);  // of the sides drawn anew as they are, 10 to 10
  CHECK(found.points[0].latest > 10);
}

TEST_CASE("the energy of a split is the mean distance between less those within", "[stats]") {
  // Of 0, 0, 0, 3, 1, 1 in twos and fours, by hand: the best split is 0 0 0 | 3 1 1 with
  // 9/6 (2 * 15/9 - 0 - 4/3) = 3; permuted values reach it in far more than 5 % of all orders.
  CHECK(change_points(std::vector<double>{0, 0, 0, 3, 1, 1}, 0.05, 2, 1).points.empty());
  CHECK(change_points(std::vector<double>{0, 0, 0, 3, 1, 1}, 0.9, 3, 1).points.at(0).first == 3);
}

namespace {

// The split with the largest energy, from the distances of all pairs.
std::size_t best_by_pairs(const std::vector<double>& values, std::size_t least) {
  const auto mean_distance = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    double sum = 0.0;
    double pairs = 0.0;
    for (std::size_t i = a; i < b; ++i) {
      for (std::size_t j = std::max(c, a == c ? i + 1 : c); j < d; ++j) {
        sum += std::abs(values[i] - values[j]);
        pairs += 1.0;
      }
    }
    return sum / pairs;
  };
  std::size_t best = 0;
  double most = -1.0;
  const std::size_t n = values.size();
  for (std::size_t at = least; at + least <= n; ++at) {
    const double energy = static_cast<double>(at * (n - at)) / static_cast<double>(n) *
                          (2.0 * mean_distance(0, at, at, n) - mean_distance(0, at, 0, at) -
                           mean_distance(at, n, at, n));
    if (energy > most) {
      most = energy;
      best = at;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("the change is where the distances of all pairs put it", "[stats]") {
  Noise noise(20261127);
  for (std::size_t i = 0; i < 30; ++i) {
    std::vector<double> values = series(40, 8 + i % 24, 0.05, noise);
    for (double& value : values) {
      value = i % 3 == 0 ? std::round(100.0 * value) : value + (i % 3 == 1 ? 1e6 : 0.0);
    }
    const ChangePoints found = change_points(values, 0.05, 5, 1);
    if (found.points.size() == 1) {  // a second one would part the others anew
      CHECK(found.points[0].first == best_by_pairs(values, 2));
    }
  }
}

TEST_CASE("up and down again are two changes", "[stats]") {
  Noise noise(20261122);
  std::vector<double> values = series(10, 10, 0.0, noise);
  for (const double value : series(20, 10, -0.2 / 1.2, noise)) {
    values.push_back(1.2 * value);
  }

  const ChangePoints found = change_points(values, 0.05, 5, 1);

  REQUIRE(found.points.size() == 2);
  CHECK(found.points[0].first == 10);
  CHECK(found.points[1].first == 20);
}

TEST_CASE("series without a change are given one in 5 % at most", "[stats]") {
  constexpr int replicates = 400;
  for (const std::size_t count : {10U, 20U}) {
    Noise noise(20261123 + count);
    int called = 0;
    for (int r = 0; r < replicates; ++r) {
      const auto seed = static_cast<std::uint64_t>(r);
      called +=
          change_points(series(count, count, 0.0, noise), 0.05, 5, seed).points.empty() ? 0 : 1;
    }
    CHECK(called <= replicates * (0.05 + 4.0 * std::sqrt(0.05 * 0.95 / replicates)));
  }
}

TEST_CASE("sessions that depend on each other are given a change in about 5 %", "[stats][slow]") {
  // In 50 and 65 % of series where nothing but permutations is asked.
  constexpr int replicates = 300;
  for (const std::size_t count : {10U, 20U, 30U, 60U}) {
    Noise noise(20261125 + count);
    int called = 0;
    int wandered = 0;
    for (int r = 0; r < replicates; ++r) {
      const std::vector<double> independent = series(count, count, 0.0, noise);
      std::vector<double> values{independent.front() - 1.0};
      for (std::size_t i = 1; i < count; ++i) {
        values.push_back(0.7 * values.back() + std::sqrt(0.51) * (independent[i] - 1.0));
      }
      const ChangePoints found = change_points(values, 0.05, 5, static_cast<std::uint64_t>(r));
      called += found.points.empty() ? 0 : 1;
      wandered += found.points.empty() && found.wanders ? 1 : 0;
    }
    INFO(count << " sessions");
    CHECK(called <= replicates * (0.05 + 3.0 * std::sqrt(0.05 * 0.95 / replicates)));
    CHECK(wandered >= replicates / 10);
  }
}

TEST_CASE("a shift of three and a half standard deviations is found, and its place", "[stats]") {
  constexpr std::size_t replicates = 200;
  for (const std::size_t change : {12U, 16U}) {
    Noise noise(20261124);
    std::size_t found = 0;
    std::size_t covered = 0;
    for (std::size_t r = 0; r < replicates; ++r) {
      const ChangePoints changes = change_points(series(20, change, 0.07, noise), 0.05, 5, r);
      if (changes.points.size() == 1) {
        const ChangePoint& point = changes.points[0];
        ++found;
        covered += point.earliest <= change && change <= point.latest ? 1 : 0;
      }
    }
    INFO("from value " << change);
    CHECK(found >= replicates * (change == 12 ? 60 : 45) / 100);
    CHECK(covered >= found * 9 / 10);
  }
}

TEST_CASE("a change does not make its values depend on each other", "[stats]") {
  Noise noise(20261127);
  const ChangePoints found = change_points(series(40, 20, 1.0, noise), 0.05, 5, 1);

  REQUIRE(found.points.size() == 1);
  CHECK(found.points[0].first == 20);
  CHECK(found.dependence < 0.6);
}

TEST_CASE("equal arguments give equal changes; what is none is refused", "[stats]") {
  Noise noise(20261125);
  const std::vector<double> values = series(30, 15, 0.08, noise);

  CHECK(change_points(values, 0.05, 5, 7).points.at(0).p ==
        change_points(values, 0.05, 5, 7).points.at(0).p);
  CHECK(change_points(std::vector<double>(20, 1.0), 0.05, 5, 1).points.empty());
  CHECK(change_points(std::vector<double>(9, 1.0), 0.05, 5, 1).status == Status::kInsufficientData);
  std::vector<double> broken = values;
  broken[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK(change_points(broken, 0.05, 5, 1).status == Status::kInvalidInput);
  CHECK(change_points(values, 0.0, 5, 1).status == Status::kInvalidInput);
  CHECK(change_points(values, 0.05, 1, 1).status == Status::kInvalidInput);
}
