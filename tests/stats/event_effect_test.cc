// What an event adds to the values that it met.
#include "stats/event_effect.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace scalestudy::stats;

namespace {

// Of cells 0 to 2 over six blocks, two places empty.
const std::vector<MetValue> kValues = {{0.176, 0, 0, true},
                                       {0.460, 1, 0, false},
                                       {0.993, 2, 0, false},
                                       {0.113, 0, 1, false},
                                       {0.634, 1, 1, false},
                                       {0.403, 0, 2, true},
                                       {0.683, 1, 2, false},
                                       {1.376, 2, 2, true},
                                       {0.322, 0, 3, false},
                                       {1.249, 1, 3, true},
                                       {1.308, 2, 3, false},
                                       {0.863, 1, 4, false},
                                       {1.371, 2, 4, false},
                                       {0.548, 0, 5, false},
                                       {1.406, 1, 5, true},
                                       {1.448, 2, 5, false}};

}  // namespace

TEST_CASE("an event's effect is its slope beside cells and blocks", "[stats]") {
  const EventEffect found = event_effect(kValues, 0.8);

  // numpy 2.4.6: lstsq over dummies of cells and blocks and the event; the departures of cells from
  // residuals on the projected dummy of each, scipy's t.ppf(0.8, 7).
  REQUIRE(found.status == Status::kOk);
  CHECK(found.df == 7);
  CHECK(found.effect == Approx(0.3033559999999998).epsilon(1e-10));
  CHECK(found.se == Approx(0.03517255680214337).epsilon(1e-10));
  REQUIRE(found.upper.size() == 3);
  CHECK(found.upper.at(0) == Approx(0.33487165356103005).epsilon(1e-10));
  CHECK(found.upper.at(1) == Approx(0.3679321561332506).epsilon(1e-10));
  CHECK(found.upper.at(2) == Approx(0.33487165356103005).epsilon(1e-10));
}

// Of two factors the one with more levels is eliminated: here the cells.
TEST_CASE("an event's effect over more cells than blocks", "[stats]") {
  const std::vector<MetValue> values = {{0.176, 10, 0, true},
                                        {0.460, 11, 0, false},
                                        {0.993, 12, 0, false},
                                        {0.701, 13, 0, true},
                                        {0.113, 10, 1, false},
                                        {0.634, 11, 1, false},
                                        {1.308, 12, 1, true},
                                        {0.322, 13, 1, false},
                                        {0.403, 10, 2, true},
                                        {1.249, 11, 2, true},
                                        {1.376, 12, 2, true},
                                        {0.548, 13, 2, false},
                                        {0.231, 10, 2, false}};

  const EventEffect found = event_effect(values, 0.8);

  REQUIRE(found.status == Status::kOk);
  // Exact fractions: normal equations over dummies of cells and blocks; t.ppf(0.8, 6) by
  // integration.
  CHECK(found.df == 6);
  CHECK(found.effect == Approx(0.3007962648556876).epsilon(1e-10));
  CHECK(found.se == Approx(0.06901622462844907).epsilon(1e-10));
  REQUIRE(found.upper.size() == 4);
  CHECK(found.upper.at(10) == Approx(0.2964025636213626).epsilon(1e-10));
  CHECK(found.upper.at(11) == Approx(0.5164842080104419).epsilon(1e-10));
  CHECK(found.upper.at(12) == Approx(0.3633044862324317).epsilon(1e-10));
  CHECK(found.upper.at(13) == Approx(0.3921705686298288).epsilon(1e-10));
}

TEST_CASE("a single cell has no blocks to take out", "[stats]") {
  const std::vector<MetValue> values = {
      {1.0, 4, 0, false}, {2.0, 4, 1, true}, {1.2, 4, 2, false}, {2.2, 4, 3, true}};

  const EventEffect found = event_effect(values, 0.8);

  // Means 2.1 and 1.1; residuals 0.1 four times, 2 df: s^2 = 0.02, se = sqrt(0.02 (1/2 + 1/2)).
  REQUIRE(found.status == Status::kOk);
  CHECK(found.df == 2);
  CHECK(found.effect == Approx(1.0).epsilon(1e-12));
  CHECK(found.se == Approx(std::sqrt(0.02)).epsilon(1e-12));
}

TEST_CASE("an event that met whole blocks shows between blocks", "[stats]") {
  const std::vector<MetValue> values = {{1.0, 1, 0, false},
                                        {2.0, 2, 0, false},
                                        {1.4, 1, 1, true},
                                        {2.4, 2, 1, true},
                                        {1.2, 1, 2, false},
                                        {2.2, 2, 2, false}};

  const EventEffect found = event_effect(values, 0.8);

  // 1.4 and 2.4 against means of 1.1 and 2.1; residuals 0.1 four times, 6 - 2 - 1 = 3 df:
  // s^2 = 0.04 / 3 over 2 (2/3)^2 + 4 (1/3)^2 = 4/3.
  REQUIRE(found.status == Status::kOk);
  CHECK(found.df == 3);
  CHECK(found.effect == Approx(0.3).epsilon(1e-12));
  CHECK(found.se == Approx(0.1).epsilon(1e-12));
}

TEST_CASE("an event that met whole cells has no effect that could be told", "[stats]") {
  std::vector<MetValue> values = kValues;
  for (MetValue& value : values) {
    value.is_met = value.cell == 1;
  }
  CHECK(event_effect(values, 0.8).status == Status::kInsufficientData);
  CHECK(event_effect({}, 0.8).status == Status::kInsufficientData);
  values[0].y = std::nan("");
  CHECK(event_effect(values, 0.8).status == Status::kInvalidInput);
  CHECK(event_effect(kValues, 0.5).status == Status::kInvalidInput);
}
