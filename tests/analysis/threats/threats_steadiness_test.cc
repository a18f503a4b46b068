// Threats from how the step times moved.
#include <algorithm>
#include <cmath>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/observe/flags.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::has_numbers;
using test::in_session;
using test::make_cell;
using test::numbers_in;
using test::observe_cell;

namespace {

std::vector<ThreatRow> steadiness_threats_of(const std::vector<CellObservation>& cells,
                                             const Study& study = {}) {
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  return steadiness_threats(
      observation, study, estimate_cells(observation, study), compare_cells(observation, study));
}

std::vector<ThreatRow> of_kind(const std::vector<ThreatRow>& rows, ThreatKind kind) {
  std::vector<ThreatRow> found;
  std::ranges::copy_if(
      rows, std::back_inserter(found), [&](const ThreatRow& row) { return row.kind == kind; });
  return found;
}

// Step times that grow by `growth` from trial to trial.
std::vector<double> growing(double first_s, double growth, int trials) {
  std::vector<double> times_s;
  for (int i = 0; i < trials; ++i) {
    times_s.push_back(first_s * std::pow(1.0 + growth, i));
  }
  return times_s;
}

CellObservation with_slopes(std::int64_t id, const std::vector<double>& slopes) {
  CellObservation cell =
      observe_cell(make_cell(id, 1, 8 * id), std::vector<double>(slopes.size(), 1.0));
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    cell.trials[i].steps.slope = slopes[i];
  }
  return cell;
}

}  // namespace

TEST_CASE("drift over the blocks is a warning with its size", "[analysis]") {
  // Every cell 1 % slower from block to block: 9 steps of ln 1.01 are exp(9 ln 1.01) - 1 = +9.37 %.
  const auto rows =
      of_kind(steadiness_threats_of({observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 10)),
                                     observe_cell(make_cell(2, 2, 8), growing(0.5, 0.01, 10))}),
              ThreatKind::kDrift);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {9.37, 0.0001, 10}));  // %, p, blocks
}

TEST_CASE("what drift does to comparisons follows from how each was made", "[analysis]") {
  const auto base = observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 10));
  const auto two = observe_cell(make_cell(2, 2, 8), growing(0.5, 0.01, 10));
  auto four = observe_cell(make_cell(3, 4, 8), growing(0.5, 0.01, 10));
  const auto finding = [](const std::vector<CellObservation>& cells, const Study& study = {}) {
    return of_kind(steadiness_threats_of(cells, study), ThreatKind::kDrift).at(0).finding;
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

  CHECK(
      numbers_in(of_kind(steadiness_threats_of(cells), ThreatKind::kDrift).at(0).finding).back() ==
      2);
  CHECK(numbers_in(of_kind(steadiness_threats_of(cells, batch), ThreatKind::kDrift).at(0).finding)
            .back() != 2);
}

TEST_CASE("cells in different blocks at different speeds are no drift", "[analysis]") {
  const std::vector<double> steady = {1.0, 1.01, 0.99, 1.01, 0.99, 1.0};
  CellObservation late = observe_cell(make_cell(2, 2, 8), {3.0, 3.03, 2.97, 3.03, 2.97, 3.0});
  for (TrialObservation& trial : late.trials) {
    trial.row.block += 6;
  }
  const auto rows = of_kind(steadiness_threats_of({observe_cell(make_cell(1, 1, 8), steady), late}),
                            ThreatKind::kDrift);

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
    const auto rows = of_kind(steadiness_threats_of({cell}, study), ThreatKind::kDrift);
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
  const auto rows = of_kind(steadiness_threats_of(cells), ThreatKind::kDrift);
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
  const auto rows = of_kind(steadiness_threats_of({numbered_anew}), ThreatKind::kDrift);

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  CHECK(rows[0].finding ==
        of_kind(steadiness_threats_of({cell}), ThreatKind::kDrift).at(0).finding);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {4.06, 0.001, 10, 2}));  // %, p, blocks, sessions
}

TEST_CASE("a steady session is noted with what was seen", "[analysis]") {
  const auto rows = of_kind(
      steadiness_threats_of({observe_cell(make_cell(1, 1, 8), {1.0, 1.01, 0.99, 1.01, 0.99, 1.0})}),
      ThreatKind::kDrift);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kNote);
}

TEST_CASE("four blocks are too few to speak of drift", "[analysis]") {
  CHECK(of_kind(steadiness_threats_of({observe_cell(make_cell(1, 1, 8), growing(1.0, 0.01, 4))}),
                ThreatKind::kDrift)
            .empty());
}

TEST_CASE("thousands of trials are joined before the trend is tested", "[analysis]") {
  const auto rows = of_kind(
      steadiness_threats_of({observe_cell(make_cell(1, 1, 8), growing(1.0, 0.00001, 4000))}),
      ThreatKind::kDrift);

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  CHECK(has_numbers(rows[0].finding, {4.08}));      // exp(0.03999) - 1
  CHECK(has_numbers(rows[0].finding, {4000, 10}));  // blocks, joined
}

TEST_CASE("thousands of trials in a row are joined inside their cells", "[analysis]") {
  Study batch;
  batch.order.design = OrderDesign::kBatch;
  const std::vector<double> times_s = growing(1.0, 0.00001, 4000);
  const auto rows = of_kind(steadiness_threats_of({observe_cell(make_cell(1, 1, 8), times_s),
                                                   observe_cell(make_cell(2, 2, 8), times_s)},
                                                  batch),
                            ThreatKind::kDrift);

  REQUIRE(rows.size() == 1);
  INFO(rows[0].finding);
  // 4000 sqrt(2) / 400 = 14.1. Over 8000 trials in a row: exp(0.07999) - 1.
  CHECK(has_numbers(rows[0].finding, {8000, 15}));
  CHECK(has_numbers(rows[0].finding, {8.33}));
}

TEST_CASE("steps that still speed up after the warm-up are a warning", "[analysis]") {
  // Slopes -2 % +/- 0.1 % per 100 steps: t = -0.02 / (0.001 / sqrt 5) = -44.7 on 4 degrees.
  const auto rows =
      of_kind(steadiness_threats_of({with_slopes(1, {-0.02, -0.021, -0.019, -0.021, -0.019})}),
              ThreatKind::kWarmUp);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {1, 8, -2.0, 100}));  // devices, batch; % a 100 steps
}

TEST_CASE("trials that never got steady are told, as a warning beyond the rule's false alarms",
          "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), std::vector<double>(20, 1.0));
  CHECK(of_kind(steadiness_threats_of({cell}), ThreatKind::kUnsteady).empty());
  cell.trials[3].is_steady = false;
  const auto one = of_kind(steadiness_threats_of({cell}), ThreatKind::kUnsteady);
  cell.trials[4].is_steady = false;
  cell.trials[5].is_steady = false;
  const auto three = of_kind(steadiness_threats_of({cell}), ThreatKind::kUnsteady);
  cell.trials[6].is_steady = false;
  const auto four = of_kind(steadiness_threats_of({cell}), ThreatKind::kUnsteady);

  REQUIRE(one.size() == 1);
  CHECK(one[0].severity == Severity::kNote);
  // Of 20 trials that are each marked with 5 %, three or more are with 7.5 %, four or more with
  // 1.6 % (sums of binomial terms).
  REQUIRE(three.size() == 1);
  CHECK(three[0].severity == Severity::kNote);
  REQUIRE(four.size() == 1);
  CHECK(four[0].severity == Severity::kWarning);
  CHECK(has_numbers(four[0].finding, {4, 20}));
}

TEST_CASE("a small or uncertain slope is a steady state", "[analysis]") {
  CHECK(
      of_kind(steadiness_threats_of({with_slopes(1, {-0.004, -0.0041, -0.0039, -0.0041, -0.0039})}),
              ThreatKind::kWarmUp)
          .empty());
  CHECK(of_kind(steadiness_threats_of({with_slopes(1, {-0.02, 0.03, -0.04, 0.02, -0.03})}),
                ThreatKind::kWarmUp)
            .empty());
}

TEST_CASE("many cells raise the bar for a slope", "[analysis]") {
  // Mean -0.02, sd 0.01: t = -0.02 / (0.01 / sqrt 5) = -4.47, p = 0.011; 0.055 among five cells.
  const std::vector<double> slopes = {-0.02, -0.03, -0.01, -0.03, -0.01};
  CHECK(of_kind(steadiness_threats_of({with_slopes(1, slopes)}), ThreatKind::kWarmUp).size() == 1);
  CHECK(of_kind(steadiness_threats_of({with_slopes(1, slopes),
                                       with_slopes(2, slopes),
                                       with_slopes(3, slopes),
                                       with_slopes(4, slopes),
                                       with_slopes(5, slopes)}),
                ThreatKind::kWarmUp)
            .empty());
}

TEST_CASE("marked steps are counted with their share of the time", "[analysis]") {
  // 100 steps a trial: 1 s and 3 s of mean. 2 % of 100 s and 6 % of 300 s are 20 of 400 s.
  CellObservation cell = observe_cell(make_cell(1, 1, 8), {1.0, 3.0});
  cell.trials[0].steps = {.flagged = 1, .flagged_share = 0.02, .slope = std::nullopt};
  cell.trials[1].steps = {.flagged = 6, .flagged_share = 0.06, .slope = std::nullopt};
  const auto rows = of_kind(steadiness_threats_of({cell}), ThreatKind::kOutliers);

  REQUIRE(rows.size() == 1);
  CHECK(numbers_in(rows[0].finding) == test::Numbers{7, 200, 3.5, 5.0, 3.5});  // the last: the rule
}

TEST_CASE("marked trials are counted with what leaving them out would move", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), {1.0, 1.0, 1.0, 1.4});
  cell.trials[3].flagged = true;
  cell.trials[3].score = 9.0;
  cell.as_met = cell.trials;  // one was put aside, which is no outlier's doing
  cell.as_met.push_back(cell.trials.front());
  cell.as_met.back().row.id += 10;
  cell.as_met.back().metrics[kStepTime].mean = 2.0;
  const auto rows = steadiness_threats_of({cell});

  // 1.1 s with all trials, 1 s without the slow one: -9.09 %.
  CHECK(numbers_in(of_kind(rows, ThreatKind::kOutliers).at(0).finding) ==
        test::Numbers{1, 4, 3.5, 9.09});
  // What the rule marks is no alarm by itself.
  CHECK(of_kind(rows, ThreatKind::kRareSlowTrials).empty());
}

namespace {

std::vector<ThreatRow> rare_slow(const std::vector<double>& times_s) {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), times_s);
  flag_trials({}, cell);
  return of_kind(steadiness_threats_of({cell}), ThreatKind::kRareSlowTrials);
}

}  // namespace

TEST_CASE("slow trials that no clean sample holds are told, two of them as well", "[analysis]") {
  const auto rows = rare_slow({1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 1.90});

  REQUIRE(rows.size() == 1);
  CHECK(has_numbers(rows[0].finding, {1, 1, 8, 29}));  // cells; devices, batch of the first; trials
  CHECK(rare_slow({1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99, 1.90, 1.95}).size() == 1);
}

TEST_CASE("a trial that the outlier rule marks in a clean cell is no rare slow one", "[analysis]") {
  // Five values of one normal distribution: modified z of the last is 4.0.
  const std::vector<double> clean = {1.000, 1.004, 0.997, 1.002, 1.014};
  CellObservation cell = observe_cell(make_cell(1, 1, 8), clean);
  flag_trials({}, cell);

  CHECK(cell.trials[4].flagged);
  CHECK(rare_slow(clean).empty());
}

TEST_CASE("a fast trial is no rare slow one", "[analysis]") {
  CHECK(rare_slow({1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.60}).empty());
}

TEST_CASE("with 29 trials rare states have been met", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), growing(1.0, 1e-4, 29));
  cell.slow_p = 0.0;

  CHECK(of_kind(steadiness_threats_of({cell}), ThreatKind::kRareSlowTrials).empty());
}
