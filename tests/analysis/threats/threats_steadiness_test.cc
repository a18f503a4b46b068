// Threats from how the step times moved.
#include <algorithm>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/observe/flags.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using test::has_numbers;
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

CellObservation with_slopes(std::int64_t id, const std::vector<double>& slopes) {
  CellObservation cell =
      observe_cell(make_cell(id, 1, 8 * id), std::vector<double>(slopes.size(), 1.0));
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    cell.trials[i].steps.slope = slopes[i];
  }
  return cell;
}

}  // namespace

TEST_CASE("steps that still speed up after the warm-up are a warning", "[analysis]") {
  // -2 % +/- 0.1 % over the 100 steps: t = -0.02 / (0.001 / sqrt 5) = -44.7 on 4 degrees.
  const auto rows =
      of_kind(steadiness_threats_of({with_slopes(1, {-0.02, -0.021, -0.019, -0.021, -0.019})}),
              ThreatKind::kWarmUp);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {1, 8, -2.0, 100}));  // devices, batch; % over steps
  CHECK_THAT(rows[0].finding, Contains("raise steps.warmup") && !Contains("Times rise"));
}

TEST_CASE("a slope matters by what it adds up to over the measured steps", "[analysis]") {
  const auto said = [](const std::vector<double>& slopes) {  // per 100 steps, of which there are 8
    CellObservation cell = with_slopes(1, slopes);
    for (TrialObservation& trial : cell.trials) {
      trial.metrics.at(kStepTime).steps = 8;
    }
    return of_kind(steadiness_threats_of({cell}), ThreatKind::kWarmUp);
  };

  CHECK(said({-0.0267, -0.0277, -0.0257, -0.0277, -0.0257}).empty());  // 0.2 %
  const auto rows = said({-0.1, -0.101, -0.099, -0.101, -0.099});
  REQUIRE(rows.size() == 1);
  CHECK_THAT(rows[0].finding,
             Contains(" of 1 device, batch 8: -0.800 % over 8 step times (adjusted p"));
}

TEST_CASE("the change of a trial is over its own number of steps", "[analysis]") {
  // Slope times steps: -0.6, -0.624, -0.576, -0.612, -0.588 and -0.6 %; 1060 steps in 6 trials.
  CellObservation cell = with_slopes(1, {-0.05, -0.052, -0.048, -0.051, -0.049, -0.0006});
  for (TrialObservation& trial : cell.trials) {
    trial.metrics.at(kStepTime).steps = &trial == &cell.trials.back() ? 1000 : 12;
  }
  const auto rows = of_kind(steadiness_threats_of({cell}), ThreatKind::kWarmUp);

  REQUIRE(rows.size() == 1);
  CHECK_THAT(rows[0].finding, Contains(": -0.600 % over 176 step times (adjusted p"));
}

TEST_CASE("a longer warm-up is not advised against steps that slow down", "[analysis]") {
  const std::vector<double> rising = {0.27, 0.28, 0.27, 0.28, 0.27};
  const auto said = [](const std::vector<CellObservation>& cells) {
    return of_kind(steadiness_threats_of(cells), ThreatKind::kWarmUp).at(0).finding;
  };

  CHECK_THAT(said({with_slopes(1, rising)}),
             Contains("which no warm-up ends") && !Contains("raise steps.warmup"));
  CHECK_THAT(said({with_slopes(1, rising), with_slopes(2, {-0.2, -0.21, -0.2, -0.21, -0.2})}),
             Contains("which no warm-up ends") && Contains("raise steps.warmup"));
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
  CHECK(rows[0].severity == Severity::kWarning);
  // Cells; devices, batch; trials; 7.01 / 7 s without the slow one, of 8.91 / 8 s: 10.1 % less.
  CHECK(has_numbers(rows[0].finding, {1, 1, 8, 29, 10.1}));
  CHECK(rare_slow({1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99, 1.90, 1.95}).size() == 1);
}

TEST_CASE("a slow trial moves the mean as much as the outlier rule says of it", "[analysis]") {
  CellObservation cell =
      observe_cell(make_cell(1, 1, 8), {1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 1.90});
  flag_trials({}, cell);
  const auto rows = steadiness_threats_of({cell});

  CHECK_THAT(of_kind(rows, ThreatKind::kOutliers).at(0).finding, Contains("by at most 10.1 %"));
  CHECK_THAT(of_kind(rows, ThreatKind::kRareSlowTrials).at(0).finding, Contains("up to 10.1 %"));
}

TEST_CASE("slow trials that hardly move the mean are a note", "[analysis]") {
  // 1.85 % in 8 trials: 0.24 %, less than half the margin.
  const auto rows = rare_slow({1.000, 1.001, 0.999, 1.002, 0.998, 1.000, 1.001, 1.019});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].severity == Severity::kNote);

  // 16 % in 8 trials: 2.0 %, more than half the margin of 2 %.
  const auto more = rare_slow({1.000, 1.001, 0.999, 1.002, 0.998, 1.000, 1.001, 1.16});
  REQUIRE(more.size() == 1);
  CHECK(more[0].severity == Severity::kWarning);
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
  CellObservation cell = observe_cell(make_cell(1, 1, 8), std::vector<double>(29, 1.0));
  cell.slow_p = 0.0;

  CHECK(of_kind(steadiness_threats_of({cell}), ThreatKind::kRareSlowTrials).empty());
}
