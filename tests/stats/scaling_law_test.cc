#include "stats/scaling_law.h"

#include <cmath>
#include <vector>

#include "stats/least_squares.h"
#include "stats/ratio_interval.h"
#include "stats/reference/crossing.h"
#include "stats/regression.h"
#include "stats/robust_error.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using scalestudy::test::Noise;
using namespace scalestudy::stats;

namespace {

std::vector<double> amdahl_times(const std::vector<double>& n, double t1, double s) {
  std::vector<double> t;
  for (const double devices : n) {
    t.push_back(t1 * (s + (1.0 - s) / devices));
  }
  return t;
}

TEST_CASE("one speedup gives the serial fraction of each law", "[stats]") {
  CHECK(amdahl_serial(0.2 + 0.8 / 4.0, 4.0) == Approx(0.2));
  // 4 devices do 4 - 0.1 * 3 times the work of one in its time, so 4 times the work in 4 / 3.7.
  CHECK(gustafson_serial(4.0 / 3.7, 4.0) == Approx(0.1));
}

TEST_CASE("an exact Amdahl curve gives its parameters back on both scales", "[stats]") {
  const std::vector<double> n{1.0, 2.0, 4.0, 8.0};
  const FitScale scale = GENERATE(FitScale::kLog, FitScale::kLinear);

  const AmdahlFit f = amdahl_fit(n, amdahl_times(n, 2.5, 0.1), scale, 0.95);

  CHECK(f.status == Status::kOk);
  CHECK(*f.t1 == Approx(2.5));
  CHECK(*f.serial_fraction == Approx(0.1));
  CHECK(f.fitted[3] == Approx(2.5 * (0.1 + 0.9 / 8.0)));
}

TEST_CASE("a superlinear curve has a serial fraction below 0", "[stats]") {
  const std::vector<double> n{1.0, 2.0, 4.0, 8.0};

  const AmdahlFit f = amdahl_fit(n, amdahl_times(n, 1.0, -0.1), FitScale::kLog, 0.95);

  CHECK(f.status == Status::kSerialBelowZero);
  CHECK(*f.serial_fraction == Approx(-0.1));
}

TEST_CASE("two measured points are too few for Amdahl", "[stats]") {
  const AmdahlFit f = amdahl_fit(
      std::vector<double>{1.0, 2.0}, std::vector<double>{1.0, 0.6}, FitScale::kLog, 0.95);

  CHECK(f.status == Status::kInsufficientData);
  CHECK_FALSE(f.serial_fraction.has_value());
}

TEST_CASE("an exact Gustafson curve gives its parameters back", "[stats]") {
  // Scaled speedup 16 - 0.1 x 15 = 14.5: 16 times the work takes 16/14.5 of the time.
  const std::vector<double> n{1.0, 2.0, 4.0, 16.0};
  const std::vector<double> t{2.0, 2.0 * 2.0 / 1.9, 2.0 * 4.0 / 3.7, 2.0 * 16.0 / 14.5};

  const GustafsonFit f = gustafson_fit(n, t, 0.95);

  CHECK(f.status == Status::kOk);
  CHECK(*f.t1 == Approx(2.0));
  CHECK(*f.serial_fraction == Approx(0.1));
  CHECK(*f.df == 2.0);
  CHECK(f.fitted[3] == Approx(2.0 * 16.0 / 14.5));
  // More done than by as many single devices.
  CHECK(gustafson_fit(n, std::vector<double>{2.0, 1.9, 1.8, 1.7}, 0.95).status ==
        Status::kSerialBelowZero);
  CHECK(gustafson_fit(std::vector<double>{1.0, 2.0}, std::vector<double>{1.0, 1.1}, 0.95).status ==
        Status::kInsufficientData);
}

TEST_CASE("Gustafson's interval agrees with another tool", "[stats]") {
  // The published weak scaling of data/published/llm-fsdp-p4d/scaling.csv, ms a token and device;
  // Python 3.11: Gauss-Newton on ln t with numeric derivatives, t(0.975, 3) = 3.182446.
  const std::vector<double> n{8.0, 16.0, 32.0, 64.0, 128.0};
  const std::vector<double> t{
      8.0 / 36.421, 16.0 / 70.234, 32.0 / 133.892, 64.0 / 254.123, 128.0 / 476.234};

  const GustafsonFit f = gustafson_fit(n, t, 0.95);

  CHECK(*f.serial_fraction == Approx(0.6301564252).epsilon(1e-6));
  CHECK(*f.se_serial == Approx(0.0706636476).epsilon(1e-5));
  CHECK(*f.serial_hi - *f.serial_fraction == Approx(3.182446 * 0.0706636476).epsilon(1e-5));
}

TEST_CASE("an exact universal scalability curve gives its parameters back", "[stats]") {
  const std::vector<double> n{1.0, 2.0, 4.0, 8.0, 16.0};
  std::vector<double> y;
  for (const double devices : n) {
    y.push_back(100.0 * devices /
                (1.0 + 0.05 * (devices - 1.0) + 0.001 * devices * (devices - 1.0)));
  }
  const FitScale scale = GENERATE(FitScale::kLog, FitScale::kLinear);

  const UslFit f = usl_fit(n, y, scale, 0.95);

  REQUIRE(f.status == Status::kOk);
  CHECK(*f.lambda == Approx(100.0));
  CHECK(*f.sigma == Approx(0.05));
  CHECK(*f.kappa == Approx(0.001));
  CHECK(*f.n_peak == Approx(std::sqrt(0.95 / 0.001)));
}

// Three counts fix three parameters: the optimum is the curve through their geometric means, which
// are 2.5, 8.5 and 32.5 of 100 N/y. The curve of start values takes arithmetic means, and is below
// 0 at N = 1: 1.75 x 2.5 - 0.875 x 8.5 x (2 + 1/2)/2 + 0.125 x 32.5 = -0.86.
TEST_CASE("a universal scalability curve is found from useless start values", "[stats]") {
  const std::vector<double> n{2.0, 4.0, 4.0, 8.0};
  const std::vector<double> y{200.0 / 2.5, 400.0 / 17.0, 400.0 / 4.25, 800.0 / 32.5};

  const UslFit f = usl_fit(n, y, FitScale::kLog, 0.95);

  REQUIRE(f.status == Status::kOk);
  CHECK(*f.lambda == Approx(100.0));
  CHECK(*f.sigma == Approx(0.5));
  CHECK(*f.kappa == Approx(0.5));
  CHECK(*f.rss == Approx(2.0 * std::log(2.0) * std::log(2.0)));
}

// As above, from lambda = 1e6 and sigma = kappa = 0, with residuals for which the first step moves
// kappa alone, by 0.01: -0.01 N (N - 1), and because it is damped by 1e-6, in the trials of a count
// together 2 z, -3 z and z with z = -1e-8 (2 x 2^2 + 2 x 12^2 + 56^2)/24.
// Optimum: A = 1.75 e^0.02 - 0.875 e^0.12 + 0.125 e^0.56 = 1.01763, lambda = 1e6/A,
// kappa = ((e^0.56 - e^0.12)/4 - (e^0.12 - e^0.02)/2)/6/A = 0.016729.
TEST_CASE("a fit ends only when its last parameter stands still too", "[stats]") {
  const double z = -1e-8 * 3432.0 / 24.0;
  const double of_4 = -0.12 - 1.5 * z;
  const std::vector<double> n{2.0, 2.0, 4.0, 4.0, 8.0};
  const std::vector<double> y{2e6,
                              2e6 * std::exp(-0.04 + 2.0 * z),
                              4e6 * std::exp(of_4) * 8.0,
                              4e6 * std::exp(of_4) / 8.0,
                              8e6 * std::exp(-0.56 + z)};

  const UslFit f = usl_fit(n, y, FitScale::kLog, 0.95);

  REQUIRE(f.status == Status::kOk);
  CHECK(*f.lambda == Approx(982'679.0).epsilon(1e-4));
  CHECK(*f.kappa == Approx(0.016729).epsilon(1e-3));
}

// Half of such fits have their optimum at kappa < 0, next to 0 more than one in a hundred.
TEST_CASE("a universal scalability curve without a retrograde term is always fitted", "[stats]") {
  Noise noise(20261126);
  for (const double sigma : {0.0, 0.1}) {
    for (int study = 0; study < 1000; ++study) {
      std::vector<double> n;
      std::vector<double> y;
      for (const double devices : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        for (int trial = 0; trial < 5; ++trial) {
          n.push_back(devices);
          y.push_back(100.0 * devices / (1.0 + sigma * (devices - 1.0)) * noise.factor(0.01));
        }
      }
      const UslFit fit = usl_fit(n, y, FitScale::kLog, 0.95);
      INFO("study " << study);
      REQUIRE((fit.status == Status::kOk || fit.status == Status::kKappaAtBound));
    }
  }
}

// Two counts in blocks: the same contrast, error and degrees of freedom as the paired ratio's.
TEST_CASE("with trials that spread unequally a serial fraction has the error of the ratio",
          "[stats]") {
  const std::vector<double> one{1.02, 0.98, 1.03, 0.97, 1.01, 0.99};
  const std::vector<double> two{0.52, 0.71, 0.45, 0.66, 0.60, 0.38};
  std::vector<double> n;
  std::vector<double> t;
  std::vector<std::int64_t> cells;
  std::vector<std::int64_t> blocks;
  const double mean_one = 1.0;
  const double mean_two = 3.32 / 6.0;
  for (std::size_t block = 0; block < one.size(); ++block) {
    // What the block adds to both is taken out, on a scale on which means are those of the times.
    const double a = one[block] / mean_one - 1.0;
    const double b = two[block] / mean_two - 1.0;
    n.insert(n.end(), {1.0, 2.0});
    t.push_back(mean_one * std::exp(0.5 * (a - b)));
    t.push_back(mean_two * std::exp(0.5 * (b - a)));
    cells.insert(cells.end(), {1, 2});
    blocks.insert(blocks.end(), 2, static_cast<std::int64_t>(block));
  }
  const RatioInterval speedup = log_ratio_delta_paired(one, two, 0.95);

  const TrialGroups groups{.cells = cells, .blocks = blocks};
  const AmdahlFit fit = amdahl_fit(n, t, FitScale::kLog, 0.95, 5, groups);

  // S = 2/(1 + s)
  CHECK(*fit.serial_fraction == Approx(2.0 / *speedup.ratio - 1.0));
  CHECK(*fit.serial_lo == Approx(2.0 / *speedup.hi - 1.0));
  CHECK(*fit.serial_hi == Approx(2.0 / *speedup.lo - 1.0));
  CHECK(*fit.df == 5.0);
}

TEST_CASE("a throughput that does not fit any curve is not an endless search", "[stats]") {
  const std::vector<double> n{1.0, 2.0, 4.0, 8.0};
  const std::vector<double> y{1.0, 1e6, 1e-6, 1.0};

  const UslFit f = usl_fit(n, y, FitScale::kLog, 0.95);

  CHECK(f.status != Status::kInvalidInput);
  CHECK((!f.lambda.has_value() || std::isfinite(*f.lambda)));
}

TEST_CASE("a line through a large offset keeps its slope", "[stats]") {
  const std::vector<double> x{1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0, 1e9 + 4.0};
  const std::vector<double> y{1.0, 3.0, 5.0, 7.0};

  const LinearFit f = linreg(x, y);

  CHECK(*f.slope == 2.0);
  CHECK(*f.residual_sd == 0.0);
}

TEST_CASE("a line needs three points and a predictor that varies", "[stats]") {
  const std::vector<double> same(3, 2.0);

  CHECK(linreg(same, std::vector<double>{1.0, 2.0, 3.0}).status == Status::kDegenerate);
  CHECK(linreg(std::vector<double>{1.0, 2.0}, std::vector<double>{1.0, 2.0}).status ==
        Status::kInsufficientData);
}

TEST_CASE("lack of fit needs replicates", "[stats]") {
  const std::vector<double> x{1.0, 2.0, 3.0, 4.0};

  CHECK(lack_of_fit(x, std::vector<double>{1.0, 2.0, 2.5, 3.0}).status ==
        Status::kInsufficientData);
}

TEST_CASE("lack of fit of a model agrees with the straight-line test for a line", "[stats]") {
  const std::vector<double> x{1.0, 1.0, 2.0, 2.0, 3.0, 3.0};
  const std::vector<double> y{1.0, 1.1, 2.3, 2.2, 3.0, 2.9};
  const LinearFit line = linreg(x, y);
  std::vector<double> fitted;
  for (const double value : x) {
    fitted.push_back(*line.intercept + *line.slope * value);
  }

  const LackOfFit direct = lack_of_fit(x, y);
  const LackOfFit general = lack_of_fit_of_model(x, y, fitted, 2);

  REQUIRE(direct.status == Status::kOk);
  CHECK(*general.f == Approx(*direct.f));
  CHECK(*general.df1 == *direct.df1);
}

TEST_CASE("dependent columns have no least squares solution", "[stats]") {
  const std::vector<std::vector<double>> columns{{1.0, 2.0, 3.0}, {2.0, 4.0, 6.0}};

  CHECK_FALSE(least_squares(columns, std::vector<double>{1.0, 2.0, 2.0}).has_value());
}

}  // namespace

// By hand: moves of +-1 and +-2 have variances of 2 and 8; each cell's sum of two moves 4 and 16.
TEST_CASE("cells without blocks add the variances of their moves, after Welch-Satterthwaite",
          "[stats]") {
  const std::vector<double> influence(4, 1.0);
  const std::vector<double> residuals{1.0, -1.0, 2.0, -2.0};
  const std::vector<std::int64_t> cells{1, 1, 2, 2};

  const std::optional<RobustError> error =
      robust_error(influence, residuals, {.cells = cells, .blocks = {}});

  REQUIRE(error);
  CHECK(error->se == Approx(std::sqrt(20.0)));
  CHECK(error->df == Approx(400.0 / (16.0 + 256.0)));

  const std::optional<RobustError> exact =
      robust_error(influence, std::vector(4, 0.0), {.cells = cells, .blocks = {}});
  REQUIRE(exact);
  CHECK(exact->se == 0.0);
  CHECK(exact->df == 1.0);
}
