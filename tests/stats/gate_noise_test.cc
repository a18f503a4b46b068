// How often a gate fires by chance.
#include "stats/gate_noise.h"

#include <cmath>
#include <vector>

#include "stats/summary.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy::stats;
using scalestudy::test::Noise;

namespace {

// By hand: ln 1.02 = 0.0198026; over sqrt(2) 0.01 = 0.0141421 that is z = 1.40026, above which a
// table of the normal distribution has 0.0807. Five sessions: chi squared on 4 degrees of freedom
// is 0.484 and 11.143 at 2.5 and 97.5 % (NIST/SEMATECH e-Handbook, table 1.3.6.7.4), so sd is
// within 0.0141421 sqrt(4/11.143) = 0.0084730 and 0.0141421 sqrt(4/0.484) = 0.040656: z = 2.3371
// and 0.48708, with 0.00972 and 0.3131 above.
TEST_CASE("a gate's chance follows from the spread of sessions, and so does its interval",
          "[stats]") {
  const GateNoise noise = gate_noise(std::sqrt(2.0) * 0.01, 4.0, 0.02, 0.95);

  REQUIRE(noise.status == Status::kOk);
  CHECK(*noise.chance == Approx(0.0807).margin(5e-5));
  CHECK(*noise.lo == Approx(0.00972).margin(5e-5));
  CHECK(*noise.hi == Approx(0.3131).margin(2e-4));
}

TEST_CASE("a wider gate fires less, and a noisier machine more", "[stats]") {
  const double usual = *gate_noise(0.01, 9.0, 0.02, 0.95).chance;

  CHECK(*gate_noise(0.01, 9.0, 0.03, 0.95).chance < usual);
  CHECK(*gate_noise(0.02, 9.0, 0.02, 0.95).chance > usual);
  CHECK(*gate_noise(0.01, 9.0, 0.02, 0.99).hi > *gate_noise(0.01, 9.0, 0.02, 0.95).hi);
}

TEST_CASE("no chance follows from no spread, or from no gate", "[stats]") {
  for (const GateNoise& none : {gate_noise(0.0, 4.0, 0.02, 0.95),
                                gate_noise(0.01, 0.0, 0.02, 0.95),
                                gate_noise(0.01, 4.0, 0.0, 0.95),
                                gate_noise(0.01, 4.0, 0.02, 1.0),
                                gate_noise(std::nan(""), 4.0, 0.02, 0.95)}) {
    CHECK(none.status == Status::kInvalidInput);
    CHECK_FALSE(none.chance.has_value());
  }
}

// None of 10: 1 - 0.025^(1/10) = 0.30850 by hand, and one of 10 the table of Clopper & Pearson:
// 0.0025 to 0.4450.
TEST_CASE("a counted chance has the interval of Clopper and Pearson", "[stats]") {
  const GateNoise none = counted_gate_noise(0, 10, 0.95);
  CHECK(*none.chance == 0.0);
  CHECK(*none.lo == 0.0);
  CHECK(*none.hi == Approx(0.30850).margin(5e-6));
  const GateNoise one = counted_gate_noise(1, 10, 0.95);
  CHECK(*one.chance == 0.1);
  CHECK(*one.lo == Approx(0.0025).margin(5e-5));
  CHECK(*one.hi == Approx(0.4450).margin(5e-5));
  CHECK(*counted_gate_noise(10, 10, 0.95).hi == 1.0);
  CHECK(counted_gate_noise(0, 0, 0.95).status == Status::kInvalidInput);
  CHECK(counted_gate_noise(2, 1, 0.95).status == Status::kInvalidInput);
}

// 4,000 machines a setting, whose nights spread by 0.5 to 2 %: a coverage of 95 % has a standard
// error of 0.34 points, so that three of them are the band.
TEST_CASE("the interval of a gate's chance covers it in 95 % of machines", "[stats]") {
  constexpr int machines = 4000;
  Noise noise(20261126);
  for (const std::size_t nights : {5U, 10U, 30U}) {
    for (const double spread : {0.005, 0.01, 0.02}) {
      const double truth =
          0.5 * std::erfc(std::log(1.02) / (std::sqrt(2.0) * spread) / std::sqrt(2.0));
      int covered = 0;
      for (int machine = 0; machine < machines; ++machine) {
        std::vector<double> logs(nights);
        for (double& value : logs) {
          value = spread * noise.normal();
        }
        const double sd = std::sqrt(2.0) * *standard_deviation(logs);
        const GateNoise found = gate_noise(sd, static_cast<double>(nights - 1), 0.02, 0.95);
        covered += *found.lo <= truth && truth <= *found.hi ? 1 : 0;
      }
      INFO(nights << " nights that spread by " << spread);
      CHECK(static_cast<double>(covered) / machines == Approx(0.95).margin(0.0104));
    }
  }
}

}  // namespace
