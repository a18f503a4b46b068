#include "stats/outliers.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

TEST_CASE("a score at the threshold itself is not an outlier", "[stats]") {
  // median 0, MAD 1: the last score is 0.6745 * 4 = 2.698 exactly at the threshold given.
  const std::vector<double> x{-1.0, -1.0, 0.0, 1.0, 4.0};
  const double at = 0.6745 * 4.0;

  CHECK(modified_z(x, at).n_outliers == 0);
  CHECK(modified_z(x, at * (1.0 - 1e-12)).n_outliers == 1);
}

TEST_CASE("equal values have no scale and no outlier", "[stats]") {
  const ModifiedZ z = modified_z(std::vector<double>(4, 0.2));

  CHECK(z.status == Status::kZeroVariance);
  CHECK(z.scale_used == ZScale::kNone);
  CHECK(z.scores == std::vector<double>(4, 0.0));
}

TEST_CASE("scores do not change with the unit of the values", "[stats]") {
  const std::vector<double> seconds{0.20, 0.21, 0.22, 0.25, 0.60};
  std::vector<double> milliseconds;
  for (const double s : seconds) {
    milliseconds.push_back(1000.0 * s);
  }

  const ModifiedZ a = modified_z(seconds);
  const ModifiedZ b = modified_z(milliseconds);

  CHECK(a.outlier == b.outlier);
  CHECK(a.scores.back() == Approx(b.scores.back()));
}

TEST_CASE("a threshold of zero or NaN is refused", "[stats]") {
  const std::vector<double> x{1.0, 2.0, 3.0};

  CHECK(modified_z(x, 0.0).status == Status::kInvalidInput);
  CHECK(modified_z(x, std::nan("")).status == Status::kInvalidInput);
}

TEST_CASE("high values are tested with Grubbs' distribution", "[stats]") {
  // NIST e-Handbook 1.3.5.17.1, mass spectrometer: G = 2.4687 of n = 8 against the critical 2.032
  // at 5 % one-sided.
  const std::vector<double> spectrometer = {
      199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57};
  CHECK(*high_outliers(spectrometer, 1).p < 0.05);

  // G = 2.032 is where p = 5 %: seven values of mean 0 and the one that makes it so.
  const std::vector<double> rest = {-1.0, -0.6, -0.2, 0.0, 0.2, 0.6, 1.0};
  const auto p_with = [&rest](double largest) {
    std::vector<double> x = rest;
    x.push_back(largest);
    return *high_outliers(x, 1).p;
  };
  CHECK(p_with(2.0) > 0.05);
  CHECK(p_with(2.6) < 0.05);
}

TEST_CASE("one high value does not hide another, and low ones are none", "[stats]") {
  const std::vector<double> two = {0.00, 0.01, -0.01, 0.02, -0.02, 0.00, 0.01, -0.01, 0.90, 0.95};
  CHECK(*high_outliers(two, 1).p > 0.05);
  CHECK(*high_outliers(two, 2).p < 0.001);

  std::vector<double> low;
  for (const double value : two) {
    low.push_back(-value);
  }
  CHECK(*high_outliers(low, 2).p > 0.05);
}

TEST_CASE("values of no spread, or too few, have no high ones", "[stats]") {
  CHECK(high_outliers(std::vector<double>{1.0, 1.0, 1.0}, 1).status == Status::kZeroVariance);
  CHECK(high_outliers(std::vector<double>{1.0, 2.0}, 1).status == Status::kInsufficientData);
  CHECK(high_outliers(std::vector<double>{1.0, 2.0, NAN}, 1).status == Status::kInvalidInput);
  CHECK(*high_outliers(std::vector<double>{1.0, 1.0, 1.0, 5.0}, 1).p == 0.0);
}

}  // namespace
