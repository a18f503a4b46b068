// Threats from a trend of step times over a session, and from changes that last for some blocks.
#include <cmath>
#include <utility>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"
#include "tests/support/random.h"

using namespace scalestudy;
using test::has_numbers;
using test::in_session;
using test::make_cell;
using test::numbers_in;
using test::observe_cell;

namespace {

std::vector<ThreatRow> drift_of(const std::vector<CellObservation>& cells,
                                const Study& study = {}) {
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  return drift_threats(observation, study, compare_cells(observation, study));
}

// Step times that grow by `growth` from trial to trial.
std::vector<double> growing(double first_s, double growth, int trials) {
  std::vector<double> times_s;
  for (int i = 0; i < trials; ++i) {
    times_s.push_back(first_s * std::pow(1.0 + growth, i));
  }
  return times_s;
}

// Step times of `blocks` blocks: eight slow ones, 16 fast ones, 16 slow ones and so on, with noise
// of 1 %.
std::vector<double> in_waves(double time_s, int blocks, std::uint64_t seed) {
  constexpr int lasts = 8;
  test::Random random(seed);
  std::vector<double> times_s;
  for (int i = 0; i < blocks; ++i) {
    times_s.push_back(time_s * ((i / lasts + 1) / 2 % 2 == 0 ? 1.1 : 0.9) *
                      (1.0 + 0.01 * random.normal()));
  }
  return times_s;
}

}  // namespace

TEST_CASE("drift over the blocks is a warning with its size", "[analysis]") {
  // Every cell 1 % slower from block to block: 9 steps of ln 1.01 are exp(9 ln 1.01) - 1 = +9.37 %.
  const auto rows = drift_of({observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 10)),
                              observe_cell(make_cell(2, 2, 8), growing(0.5, 0.01, 10))});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {9.37, 0.0001, 10}));  // %, p, blocks
}

TEST_CASE("a trend that just misses its level is told with the level", "[analysis]") {
  // 34 of 45 pairs rise, 11 fall: z = (34 - 11 - 1) / sqrt 125 = 1.968.
  std::vector<double> times_s = {
      1.009, 1.001, 1.000, 1.003, 1.002, 1.004, 1.005, 1.006, 1.007, 1.008};
  const auto rows = drift_of({observe_cell(make_cell(1, 1, 8), times_s)});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kNote);
  CHECK_THAT(rows[0].finding,
             Catch::Contains("(p = 0.049 of Mann-Kendall, tested at 0.04, Theil-Sen slope, over 10 "
                             "blocks)") &&
                 Catch::EndsWith(" %. The level of 0.05 is divided: 0.04 for trends, 0.01 for ups "
                                 "and downs."));
  std::swap(times_s[1], times_s[2]);  // 35 rise: p = 0.032
  CHECK(drift_of({observe_cell(make_cell(1, 1, 8), times_s)}).at(0).severity == Severity::kWarning);
}

TEST_CASE("what drift does to comparisons follows from how each was made", "[analysis]") {
  const auto base = observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 10));
  const auto two = observe_cell(make_cell(2, 2, 8), growing(0.5, 0.01, 10));
  auto four = observe_cell(make_cell(3, 4, 8), growing(0.5, 0.01, 10));
  const auto finding = [](const std::vector<CellObservation>& cells, const Study& study = {}) {
    return drift_of(cells, study).at(0).finding;
  };

  // Behind the standard deviation of the blocks, in %: comparisons that drift is taken out of.
  const double spread = numbers_in(finding({base})).back();
  // Speedup and efficiency of one cell.
  CHECK(numbers_in(finding({base, two})).back() == 2);
  four.trials.erase(four.trials.begin() + 4, four.trials.end());
  CHECK(has_numbers(finding({base, two, four}), {2, 4}));
  Study batch;
  batch.order.design = OrderDesign::kBatch;
  CHECK(numbers_in(finding({base}, batch)).back() == spread);
  CHECK(numbers_in(finding({base, two}, batch)).size() == numbers_in(finding({base})).size());
}

TEST_CASE("means of sessions take drift out where sessions hold common blocks", "[analysis]") {
  std::vector<CellObservation> cells = {observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 15)),
                                        observe_cell(make_cell(2, 2, 8), growing(0.5, 0.01, 15))};
  for (CellObservation& cell : cells) {
    for (std::size_t i = 0; i < cell.trials.size(); ++i) {
      cell.trials[i].row.session_id = static_cast<std::int64_t>(i / 3);
    }
  }
  Study batch;
  batch.order.design = OrderDesign::kBatch;

  CHECK(numbers_in(drift_of(cells).at(0).finding).back() == 2);
  CHECK(numbers_in(drift_of(cells, batch).at(0).finding).back() != 2);
}

TEST_CASE("cells in different blocks at different speeds are no drift", "[analysis]") {
  const std::vector<double> steady = {1.0, 1.01, 0.99, 1.01, 0.99, 1.0};
  CellObservation late = observe_cell(make_cell(2, 2, 8), {3.0, 3.03, 2.97, 3.03, 2.97, 3.0});
  for (TrialObservation& trial : late.trials) {
    trial.row.block += 6;
  }
  const auto rows = drift_of({observe_cell(make_cell(1, 1, 8), steady), late});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kNote);
}

TEST_CASE("sessions of different levels are no drift", "[analysis]") {
  // Both sessions are steady, the second one is 5 % slower: in a row that is p = 0.01.
  const std::vector<double> first = {1.0, 1.01, 0.99, 1.01, 0.99, 1.0};
  const std::vector<double> second = {1.05, 1.06, 1.04, 1.06, 1.04, 1.05};
  std::vector<double> both = first;
  both.insert(both.end(), second.begin(), second.end());
  const auto cell = in_session(in_session(observe_cell(make_cell(1, 1, 8), both), 1), 2, 6);
  Study batch;
  batch.order.design = OrderDesign::kBatch;

  for (const Study& study : {Study(), batch}) {
    const auto rows = drift_of({cell}, study);
    REQUIRE(rows.size() == 1);
    INFO(rows[0].finding);
    CHECK(rows[0].severity == Severity::kNote);
    CHECK(has_numbers(rows[0].finding, {12, 2}));  // trials, sessions
  }
}

TEST_CASE("a cell that a later session added is no drift", "[analysis]") {
  // Both sessions are steady, the second one is 10 % slower; in its first six blocks, the new
  // cell runs alone.
  const std::vector<double> noise = {0.99, 1.01, 1.0, 1.0, 0.99, 1.01};
  std::vector<double> both = noise;
  std::vector<double> added;
  for (const double time_s : noise) {
    both.push_back(1.10 * time_s);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    added.push_back(0.5 * noise[i % 6]);
  }
  const auto cells = {
      in_session(in_session(observe_cell(make_cell(1, 1, 8), both), 1), 2, 6),
      in_session(in_session(observe_cell(make_cell(2, 2, 8), both), 1), 2, 6),
      in_session(observe_cell(make_cell(3, 4, 8), added), 2),
  };
  const auto rows = drift_of(cells);
  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  CHECK(rows[0].severity == Severity::kNote);
}

TEST_CASE("drift inside each of two sessions is told of one session", "[analysis]") {
  // Five blocks a session, growing in both: 4 steps of ln 1.01 are +4.06 %.
  const auto cell =
      in_session(in_session(observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 10)), 1), 2, 5);
  CellObservation numbered_anew = cell;
  for (std::size_t i = 5; i < 10; ++i) {
    numbered_anew.trials[i].row.block -= 5;
  }
  const auto rows = drift_of({numbered_anew});

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  CHECK(rows[0].finding == drift_of({cell}).at(0).finding);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {4.06, 0.001, 10, 2}));  // %, p, blocks, sessions
}

TEST_CASE("a steady session is noted with what was seen", "[analysis]") {
  const auto rows =
      drift_of({observe_cell(make_cell(1, 1, 8), {1.0, 1.01, 0.99, 1.01, 0.99, 1.0})});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kNote);
}

TEST_CASE("five blocks that rise are drift", "[analysis]") {
  const auto rows = drift_of({observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 5))});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kWarning);
}

TEST_CASE("four blocks are too few to speak of drift", "[analysis]") {
  CHECK(drift_of({observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 4))}).empty());
}

TEST_CASE("thousands of trials are joined before the trend is tested", "[analysis]") {
  const auto rows = drift_of({observe_cell(make_cell(1, 1, 8), growing(1.0, 0.00001, 4000))});

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  CHECK(has_numbers(rows[0].finding, {4.08}));      // exp(0.03999) - 1
  CHECK(has_numbers(rows[0].finding, {4000, 10}));  // blocks, joined
}

TEST_CASE("thousands of trials in a row are joined inside their cells", "[analysis]") {
  Study batch;
  batch.order.design = OrderDesign::kBatch;
  const std::vector<double> times_s = growing(1.0, 0.00001, 4000);
  const auto rows = drift_of(
      {observe_cell(make_cell(1, 1, 8), times_s), observe_cell(make_cell(2, 2, 8), times_s)},
      batch);

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  // 4000 sqrt(2) / 400 = 14.1. Over 8000 trials in a row: exp(0.07999) - 1.
  CHECK(has_numbers(rows[0].finding, {8000, 15}));
  CHECK(has_numbers(rows[0].finding, {8.33}));
}

TEST_CASE("waves over a session are a warning with how much too narrow intervals are",
          "[analysis]") {
  const auto base = observe_cell(make_cell(1, 1, 8), in_waves(1.0, 40, 1));
  const auto two = observe_cell(make_cell(2, 2, 8), in_waves(0.5, 40, 2));
  const auto rows = drift_of({base, two});

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  CHECK(rows[0].severity == Severity::kWarning);
  // Without noise r_1 to r_8 are 0.88, 0.76, 0.64, 0.52, 0.40, 0.28, 0.15, 0.03, and
  // sqrt(1 + 2 * 3.65) = 2.88.
  CHECK(has_numbers(rows[0].finding, {0.0001, 40, 2.9}));
  // Speedup and efficiency.
  CHECK(numbers_in(rows[0].finding).back() == 2);
}

// Nights of 40 blocks that are told, of a machine with two speeds this far from their mean, each of
// which lasts eight blocks.
int nights_told(int nights, double speed_change) {
  constexpr int lasts = 8;
  test::Random random(5);
  int told = 0;
  for (int night = 0; night < nights; ++night) {
    std::vector<double> times_s;
    double speed = 1.0;
    for (int i = 0; i < 40; ++i) {
      speed = i % lasts == 0 ? 1.0 + std::copysign(speed_change, random.normal()) : speed;
      times_s.push_back(speed * (1.0 + 0.01 * random.normal()));
    }
    const auto rows = drift_of({observe_cell(make_cell(1, 1, 8), times_s)});
    told += rows.at(0).severity == Severity::kWarning ? 1 : 0;
  }
  return told;
}

// Of a trend alone 47 % would be told.
TEST_CASE("most nights of a machine with two speeds are told, and few of one", "[analysis]") {
  CHECK(nights_told(100, 0.1) > 70);
  CHECK(nights_told(400, 0.0) < 29);  // 5 % and two standard deviations
}

TEST_CASE("waves reach comparisons that are not paired", "[analysis]") {
  const auto base = observe_cell(make_cell(1, 1, 8), in_waves(1.0, 40, 1));
  const auto two = observe_cell(make_cell(2, 2, 8), in_waves(0.5, 40, 2));
  Study batch;
  batch.order.design = OrderDesign::kBatch;

  const auto alone = drift_of({base}, batch).at(0);
  const auto compared = drift_of({base, two}, batch).at(0);

  CHECK(alone.severity == Severity::kWarning);
  CHECK(numbers_in(alone.finding).back() == Approx(2.9));
  CHECK(compared.finding.size() > alone.finding.size() + 20);
  CHECK(numbers_in(compared.finding).back() == Approx(2.9));  // no count of paired ones
}

TEST_CASE("waves inside few sessions are told, and none of means of sessions", "[analysis]") {
  const auto in_sessions = [](std::size_t sessions) {
    CellObservation cell = observe_cell(make_cell(1, 1, 8), in_waves(1.0, 160, 3));
    for (std::size_t i = 0; i < cell.trials.size(); ++i) {
      cell.trials[i].row.session_id = static_cast<std::int64_t>(i * sessions / 160);
    }
    return drift_of({cell}).at(0);
  };

  CHECK(in_sessions(4).severity == Severity::kWarning);
  CHECK(in_sessions(5).severity == Severity::kNote);
}

TEST_CASE("sessions of one block count as sessions whose means make the interval", "[analysis]") {
  // Of a cell with two sessions of 20 blocks and three of one, of which nothing can be compared.
  CellObservation cell = observe_cell(make_cell(1, 1, 8), in_waves(1.0, 43, 1));
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    cell.trials[i].row.session_id = static_cast<std::int64_t>(i < 40 ? i / 20 : i);
  }
  CellObservation fewer = cell;
  fewer.trials.pop_back();

  CHECK(drift_of({fewer}).at(0).severity == Severity::kWarning);
  CHECK(drift_of({cell}).at(0).severity == Severity::kNote);
}

TEST_CASE("waves that are small beside what launches vary make no interval too narrow",
          "[analysis]") {
  // Means of 64 cells show waves of 1.5 %; a cell's own trials vary by 8 %.
  test::Random random(4);
  std::vector<CellObservation> cells;
  for (std::int64_t id = 1; id <= 64; ++id) {
    std::vector<double> times_s;
    for (int i = 0; i < 40; ++i) {
      const double wave = (i / 8 + 1) / 2 % 2 == 0 ? 1.015 : 0.985;
      times_s.push_back(wave * std::exp(0.08 * random.normal()));
    }
    cells.push_back(observe_cell(make_cell(id, 1, 8 * id), times_s));
  }
  const auto rows = drift_of(cells);

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  CHECK(rows[0].severity == Severity::kNote);
}
