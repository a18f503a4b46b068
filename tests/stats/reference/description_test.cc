#include "stats/reference/description.h"

#include <limits>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::stats;

namespace {

TEST_CASE("an empty sample is not described", "[stats]") {
  const Description d = descriptive({});

  CHECK(d.status == Status::kInsufficientData);
  CHECK_FALSE(d.mean.has_value());
  CHECK_FALSE(d.median.has_value());
}

TEST_CASE("one value is described without a spread", "[stats]") {
  const Description d = descriptive(std::vector<double>{0.125});

  CHECK(d.status == Status::kOk);
  CHECK(d.mean == 0.125);
  CHECK_FALSE(d.sd.has_value());
}

TEST_CASE("a NaN is refused, never dropped", "[stats]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  const Description d = descriptive(std::vector<double>{1.0, nan, 3.0});

  CHECK(d.status == Status::kInvalidInput);
  CHECK_FALSE(d.mean.has_value());
}

TEST_CASE("equal values are described with a spread of exactly zero", "[stats]") {
  const Description d = descriptive(std::vector<double>(7, 0.1));

  CHECK(d.status == Status::kZeroVariance);
  CHECK(d.mean == 0.1);
  CHECK(d.sd == 0.0);
}

TEST_CASE("harmonic and geometric means need positive values", "[stats]") {
  const Description d = descriptive(std::vector<double>{-1.0, 2.0, 3.0});

  CHECK(d.status == Status::kOk);
  CHECK_FALSE(d.harmonic_mean.has_value());
  CHECK_FALSE(d.geometric_mean.has_value());
}

// Quartiles of 1..9 are 3 and 7, IQR 4: inner fences -3 and 13, outer -9 and 19.
TEST_CASE("each value is labelled by the fence it lies beyond", "[stats]") {
  std::vector<double> x{5.0, 5.0, 3.0, 3.0, 7.0, 7.0, -4.0, -10.0, 14.0, 20.0, 3.0, 7.0, 5.0};

  const TukeyFences f = tukey_fences(x);

  REQUIRE(f.q1 == 3.0);
  REQUIRE(f.q3 == 7.0);
  CHECK(f.labels[6] == FenceLabel::kLowMild);
  CHECK(f.labels[7] == FenceLabel::kLowSevere);
  CHECK(f.labels[8] == FenceLabel::kHighMild);
  CHECK(f.labels[9] == FenceLabel::kHighSevere);
  CHECK(f.labels[0] == FenceLabel::kInside);
  CHECK(f.low_mild + f.low_severe + f.high_mild + f.high_severe == 4);
}

TEST_CASE("no values have no fences", "[stats]") {
  CHECK(tukey_fences({}).status == Status::kInsufficientData);
  CHECK_FALSE(tukey_fences({}).q1.has_value());
}

}  // namespace
