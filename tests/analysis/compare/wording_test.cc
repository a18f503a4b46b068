// How threats are worded. The numbers in their sentences are asserted where they come
// about, in the tests of the files that compute them.
#include <algorithm>
#include <cmath>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/estimates/precision.h"
#include "harness/analysis/observe/flags.h"
#include "harness/analysis/observe/looking.h"
#include "harness/analysis/threats/threats.h"
#include "stats/estimate.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::EndsWith;
using Catch::StartsWith;
using test::in_session;
using test::make_cell;
using test::observe_cell;

namespace {

const std::vector<double> kFive = {1.0, 1.1, 1.2, 1.1, 1.0};

// All threats to a study of these cells.
std::vector<ThreatRow> threats_to(const StudyObservation& observation, const Study& study = {}) {
  const auto comparisons = compare_cells(observation, study);
  std::vector<ThreatRow> all;
  for (const auto& some :
       {condition_threats(observation, study),
        steadiness_threats(observation, study, estimate_cells(observation, study), comparisons),
        consistency_threats(observation, comparisons),
        looking_threats(observation, study, comparisons),
        session_threats(observation, study, comparisons)}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::string said_of(const StudyObservation& observation, ThreatKind kind, const Study& study = {}) {
  auto all = threats_to(observation, study);
  const auto of_load = load_threats(observation, study, {});
  all.insert(all.end(), of_load.begin(), of_load.end());
  const auto found = std::ranges::find(all, kind, &ThreatRow::kind);
  return found == all.end() ? "" : found->finding;
}

std::string said_of(const std::vector<CellObservation>& cells,
                    ThreatKind kind,
                    const Study& study = {}) {
  return said_of(test::make_observation(cells, Scaling::kStrong), kind, study);
}

CellObservation one_device(const std::vector<double>& times_s = kFive) {
  return observe_cell(make_cell(1, 1, 8), times_s);
}

CellObservation two_devices(const std::vector<double>& times_s = kFive) {
  return observe_cell(make_cell(2, 2, 8), times_s);
}

// Ten step times, each 1 % above the one before.
std::vector<double> growing(double first_s) {
  std::vector<double> times_s;
  for (int i = 0; i < 10; ++i) {
    times_s.push_back(first_s * std::pow(1.01, i));
  }
  return times_s;
}

// Trials of two sessions; from trial `first` of the base and `first_of_cell` on, the second.
std::vector<CellObservation> split_cells(std::size_t first, std::size_t first_of_cell) {
  return {in_session(in_session(one_device({1.0, 1.1, 1.2, 2.0, 2.1, 2.2}), 1), 2, first),
          in_session(in_session(two_devices({0.5, 0.6, 0.7, 1.0, 1.1, 1.2}), 1), 2, first_of_cell)};
}

Study in_a_row() {
  Study study;
  study.order.design = OrderDesign::kBatch;
  return study;
}

}  // namespace

TEST_CASE("how few, failed and repeated trials are told", "[analysis]") {
  using enum ThreatKind;
  CellObservation few = two_devices({1.0, 1.1});
  few.planned = 6;
  CHECK_THAT(
      said_of({one_device(), few}, kFewTrials),
      StartsWith("1 of 2 cells rests on fewer than 5 ok trials; the fewest are 2 of 6 planned "
                 "(2 devices, batch 8). Intervals from so few trials are wide, and assume normally "
                 "distributed trials."));
  CHECK_THAT(said_of({one_device(), two_devices({1.0})}, kFewTrials),
             EndsWith("(2 devices, batch 8). A single trial gives no interval."));

  few.planned = 2;
  few.given_up = 4;  // the batch before it ran out of memory
  CHECK_THAT(said_of({one_device(), few}, kFewTrials),
             Catch::Contains("the fewest are 2 of 6 planned"));

  CellObservation survivors = one_device();
  survivors.failures = {{"failed", 1}, {"timeout", 2}};
  CHECK(
      said_of({survivors}, kFailedTrials) ==
      "Some attempts of 1 cell did not end ok, so results come only from the survivors: 1 device, "
      "batch 8: 3 of 8 attempts (failed 1, timeout 2; 37.5 %).");
  CellObservation none = one_device({});
  none.failures = {{"oom", 7}};
  CHECK(said_of({none}, kFailedTrials) ==
        "No attempt of 1 cell ended ok: 1 device, batch 8: 7 of 7 attempts (oom 7; 100 %, "
        "so "
        "it has no result).");

  CellObservation retried = one_device();
  retried.retried = {{"failed", 1}, {"timeout", 2}};
  CHECK_THAT(
      said_of({retried}, kRetriedFailures),
      StartsWith("3 attempts (failed 1, timeout 2) in 1 cell (1 device, batch 8) did not end "
                 "ok; a later attempt that did counts instead."));
  CHECK_THAT(said_of({one_device(std::vector<double>(5, 0.25))}, kZeroVariance),
             StartsWith("The step time is the same in all trials of 1 cell (1 device, batch 8), as "
                        "if"));
}

TEST_CASE("how the machine's part is told", "[analysis]") {
  using enum ThreatKind;
  CellObservation loaded = one_device();
  loaded.trials[3].row.foreign_load = 0.50;
  loaded.trials[1].cores_per_rank = 1.0;
  loaded.trials[2].cores_per_rank = 2.0;
  StudyObservation observation = test::make_observation({loaded}, Scaling::kStrong);
  observation.cores = 4.0;
  CHECK_THAT(said_of(observation, kForeignLoad),
             StartsWith("1 of 1 trial ran while other processes used more than 3 % of the 4 "
                        "cores (at worst 12.5 %, or 0.500 cores)."));
  CHECK_THAT(said_of(observation, kChangedCores),
             StartsWith("The ranks of a cell were bound to different numbers of cores in different "
                        "trials (1 device, batch 8: 1 to 2)"));

  CellObservation oversubscribed = two_devices();
  oversubscribed.row.oversubscribed = true;
  CHECK_THAT(said_of({one_device(), oversubscribed}, kOversubscribed),
             StartsWith("1 of 2 cells ran with more ranks"));
}

TEST_CASE("how changes of the study are told", "[analysis]") {
  using enum ThreatKind;
  StudyObservation observation =
      test::make_observation({in_session(in_session(two_devices(), 1), 2, 4)}, Scaling::kStrong);
  observation.trial_changes = {{1, std::vector<std::string>{"steps.measured: 10 -> 20"}},
                               {2, std::vector<std::string>()}};
  observation.analysis_change = AnalysisChange{
      .differences = {"analysis.margin: 0.02 -> 0.05", "analysis.laws.usl: - -> yes"},
      .attempts_before = 3,
      .attempts = 5};

  CHECK_THAT(said_of(observation, kChangedStudy),
             StartsWith("1 of 1 cell contains trials from before"));
  CHECK_THAT(said_of(observation, kChangedAnalysis),
             StartsWith("The analysis was changed after 3 of 5 attempts had run (analysis.margin: "
                        "0.02 -> 0.05; analysis.laws.usl: - -> yes)."));
  CHECK(said_of(observation, kMissingBaseline) ==
        "1 cell cannot be compared with a baseline (2 devices, batch 8: its baseline is not "
        "measured).");
}

TEST_CASE("how drift is told, and what it does to comparisons", "[analysis]") {
  const auto drift = [](const std::vector<CellObservation>& cells, const Study& study = {}) {
    return said_of(cells, ThreatKind::kDrift, study);
  };
  const CellObservation base = one_device(growing(1.0));
  const CellObservation two = two_devices(growing(0.5));
  CellObservation four = observe_cell(make_cell(3, 4, 8), growing(0.5));
  four.trials.erase(four.trials.begin() + 4, four.trials.end());

  CHECK_THAT(drift({base}),
             StartsWith("Step times drifted over the session: +9.37 % from the first block to the "
                        "last (p < 0.0001 of Mann-Kendall") &&
                 EndsWith(". It is part of every step time."));
  CHECK_THAT(drift({base, two}),
             EndsWith(". Pairing inside blocks takes what cells share of it out of the 2 "
                      "comparisons, not out of the "
                      "step times."));
  CHECK_THAT(drift({base, two, four}),
             EndsWith(". Pairing inside blocks takes what cells share of it out of 2 of 4 "
                      "comparisons, not out of the "
                      "step times."));
  CHECK_THAT(drift({base, two}, in_a_row()),
             EndsWith(". It is part of every step time and, without pairs inside blocks, of every "
                      "comparison."));
  CHECK_THAT(drift({one_device()}),
             StartsWith("No significant drift over the session: step times changed by "));
}

TEST_CASE("how steps that are not steady, and marked ones, are told", "[analysis]") {
  using enum ThreatKind;
  CellObservation sloped = one_device();
  CellObservation marked = one_device({1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 1.90});
  flag_trials({}, marked);
  marked.trials[0].steps.flagged = 7;
  marked.trials[0].is_steady = false;
  const std::vector<double> slopes = {-0.02, -0.021, -0.019, -0.021, -0.019};
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    sloped.trials[i].steps.slope = slopes[i];
  }

  CHECK_THAT(said_of({sloped}, kWarmUp),
             StartsWith("No steady state: step times change during the measured steps of 1 device, "
                        "batch 8: -2.00 % over 100 step times (adjusted p"));
  CHECK_THAT(said_of({marked}, kUnsteady),
             StartsWith("1 of 8 trials never became steady (1 device, batch 8): at"));
  CHECK(said_of({marked}, kOutliers) ==
        "7 of 800 steps (0.875 %, 0 % of the time) are marked by modified-z > 3.5 within their "
        "trial; they are included.");
  marked.trials[0].steps.flagged = 1;
  CHECK(said_of({marked}, kOutliers) ==
        "1 of 800 steps (0.125 %, 0 % of the time) is marked by modified-z > 3.5 within its trial; "
        "it is included.");
  marked.trials[0].steps.flagged = 0;
  CHECK_THAT(said_of({marked}, kOutliers),
             StartsWith("1 of 8 trials is marked by modified-z > 3.5 among the trials of its cell; "
                        "it is included in every verdict, and leaving it out (variant unflagged) "
                        "moves a mean step time by at most"));
  CHECK_THAT(said_of({marked}, kRareSlowTrials),
             StartsWith("Rare slow trials in 1 cell (1 device, batch 8) with fewer than 29 trials: "
                        "the interval may be too narrow"));
}

TEST_CASE("how results that do not fit together are told", "[analysis]") {
  const auto said = [](const std::string& quantity) {
    ComparisonRow row;
    row.cell_id = 2;
    row.baseline_cell_id = 1;
    row.quantity = quantity;
    row.verdict = Verdict::kFaster;
    row.value = 1.10;
    row.lo = 1.05;
    row.hi = 1.15;
    CellObservation cell = two_devices({1.0});
    cell.trials[0].metrics["forward_time_s"] = {.steps = 1, .mean = 0.5};
    cell.trials[0].metrics["backward_time_s"] = {.steps = 1, .mean = 0.47};
    return consistency_threats(test::make_observation({one_device({2.0}), cell}, Scaling::kStrong),
                               {row});
  };

  CHECK_THAT(said("efficiency").at(0).finding,
             StartsWith("Efficiency is above 100 %: 2 devices, batch 8: 110.0 % [105.0, 115.0]. "
                        "More than"));
  CHECK_THAT(said("aa").at(0).finding,
             StartsWith("Control failed: 2 devices, batch 8, run under a second name, is faster "
                        "than itself (1.100x [1.050, 1.150])."));
  CHECK_THAT(
      said("aa").at(1).finding,
      StartsWith("The timed phases do not add up to the step in 1 of 1 cell; at worst 3.00 % "
                 "of the step (30 ms)"));
}

TEST_CASE("how looks before the end are told", "[analysis]") {
  StudyObservation observation = test::make_observation(
      {one_device({1.0, 1.1, 1.2}), two_devices({0.6, 0.7, 0.6})}, Scaling::kStrong);
  observation.looking.counts = {3};
  observation.cells[0].planned = 5;
  observation.cells[0].waiting = 2;
  const auto said = [&](const std::vector<std::int64_t>& looks) {
    observation.looking.looks = looks;
    return said_of(observation, ThreatKind::kSequential);
  };

  CHECK_THAT(said({2, 6}),
             StartsWith("This is a look before the planned end: 6 of 8 trials have ended. P "
                        "values and intervals keep their error rate for one look at the planned "
                        "end.") &&
                 EndsWith(" Earlier results were printed after 2 trials."));
  CHECK_THAT(said({1}), EndsWith(" Earlier results were printed after 1 trial."));
  CHECK_THAT(said({1, 2}), EndsWith(" Earlier results were printed after 1, 2 trials."));
  observation.cells[0].waiting = 0;
  observation.looking.counts = {2, 3};
  CHECK_THAT(said({}),
             StartsWith("The number of trials of each cell was changed after trials had run (2 -> "
                        "3)."));
}

TEST_CASE("how several sessions are told", "[analysis]") {
  using enum ThreatKind;
  CHECK(said_of(split_cells(3, 3), kSessions) ==
        "The step times of the 2 sessions are up to 87.1 % apart, more than chance explains (p = "
        "0.0012, F test over blocks). Their mean may describe none of them; intervals and verdicts "
        "hold within these 2.");
  CHECK_THAT(said_of(split_cells(6, 0), kAcrossSessions),
             StartsWith("Not compared: 2 devices, batch 8 with 1 device, batch 8. No two blocks of "
                        "one session hold both"));
  CHECK(said_of(split_cells(5, 1), kAcrossSessions) ==
        "Shares of the sessions differ: 2 devices, batch 8 with 1 device, batch 8. Only trials of "
        "blocks that contain both are compared.");
  CHECK_THAT(said_of(split_cells(5, 1), kAcrossSessions, in_a_row()),
             StartsWith("Compared across sessions: 2 devices, batch 8 with 1 device, batch 8. They "
                        "have different shares"));
}

TEST_CASE("how an adaptive number of trials is told", "[analysis]") {
  Study study;
  study.trials.until = 0.02;
  study.trials.min = 3;
  study.trials.count = 6;
  const CellObservation calm = one_device({1.00, 1.01, 0.99, 1.00, 1.00, 1.00, 1.00});
  const CellObservation wild = two_devices({1.00, 1.20, 0.80, 1.10, 0.90, 1.15});

  CHECK_THAT(said_of({calm}, ThreatKind::kAdaptive, study),
             Catch::Contains(": 1 of 1 cell met it, first after 4 trials. Stopping"));
  CHECK_THAT(said_of({calm, wild}, ThreatKind::kAdaptive, study),
             Catch::Contains(": 1 of 2 cells met it, first after 4 trials. 1 cell did not within "
                             "the trials planned; the widest is 2 devices, batch 8: 15.8 % after 6 "
                             "ok trials."));
  CHECK_THAT(said_of({wild}, ThreatKind::kAdaptive, study),
             Catch::Contains(": 0 of 1 cell met it. 1 cell did not"));
}
