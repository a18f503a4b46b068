// Threats from how the trials were run.
#include <algorithm>

#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::has_numbers;
using test::make_cell;
using test::numbers_in;
using test::observe_cell;

namespace {

const std::vector<double> kFive = {1.0, 1.1, 1.2, 1.1, 1.0};

std::vector<ThreatRow> condition_threats_of(std::vector<CellObservation> cells) {
  return condition_threats(test::make_observation(std::move(cells), Scaling::kStrong), {});
}

}  // namespace

TEST_CASE("five quiet trials in every cell threaten nothing", "[analysis]") {
  CHECK(condition_threats_of(
            {observe_cell(make_cell(1, 1, 8), kFive), observe_cell(make_cell(2, 2, 8), kFive)})
            .empty());
}

TEST_CASE("few trials are counted, and the fewest named", "[analysis]") {
  CellObservation few = observe_cell(make_cell(2, 2, 8), {1.0, 1.1});
  few.planned = 6;
  const auto rows = condition_threats_of({observe_cell(make_cell(1, 1, 8), kFive), few});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kFewTrials);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {1, 2, 5}));     // cells, of all, with fewer trials than
  CHECK(has_numbers(rows[0].finding, {2, 6, 2, 8}));  // fewest, of planned; its devices, batch
}

TEST_CASE("a cell that the machine does not support rests on no few trials", "[analysis]") {
  CellObservation none = observe_cell(make_cell(2, 2, 8), {});
  none.planned = 6;  // all of them ended unsupported, which is no failure
  CHECK(condition_threats_of({observe_cell(make_cell(1, 1, 8), kFive), none}).empty());

  none.waiting = 6;  // still to be run
  const auto rows = condition_threats_of({observe_cell(make_cell(1, 1, 8), kFive), none});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kFewTrials);
}

TEST_CASE("more than a tenth of failed trials leaves survivors", "[analysis]") {
  CellObservation cell =
      observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.1, 1.0, 1.1, 1.2, 1.1, 1.0});
  cell.failures = {{"failed", 1}};
  CHECK(condition_threats_of({cell}).empty());  // 1 of 10 is not more than a tenth

  cell.failures["timeout"] = 2;
  const auto rows = condition_threats_of({cell});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kFailedTrials);
  CHECK(has_numbers(rows[0].finding, {3, 12, 1, 2, 25.0}));
}

TEST_CASE("failures that a retry made good are told, time limits as a warning", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), kFive);
  cell.retried = {{"failed", 1}};
  CHECK(condition_threats_of({cell}).at(0).kind == ThreatKind::kRetriedFailures);
  CHECK(condition_threats_of({cell}).at(0).severity == Severity::kNote);

  cell.retried["timeout"] = 2;
  const ThreatRow row = condition_threats_of({cell}).at(0);
  CHECK(row.severity == Severity::kWarning);
  CHECK(has_numbers(row.finding, {3, 1, 2, 1}));  // attempts, failed, timeout, cells
}

TEST_CASE("step times that do not vary are flagged", "[analysis]") {
  const auto rows =
      condition_threats_of({observe_cell(make_cell(1, 1, 8), std::vector<double>(5, 0.25))});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kZeroVariance);
}

TEST_CASE("a cell whose trials all failed is named once, and has no result", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), {});
  cell.failures = {{"oom", 7}};
  const auto rows = condition_threats_of({cell});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kFailedTrials);
  CHECK(has_numbers(rows[0].finding, {7, 7, 7, 100}));
}

TEST_CASE("trials on throttled hardware are a warning that names their cells", "[analysis]") {
  StudyObservation observation = test::make_observation(
      {observe_cell(make_cell(1, 1, 8), kFive), observe_cell(make_cell(2, 2, 8), kFive)},
      Scaling::kStrong);
  observation.throttled = {2001, 2003};
  const auto rows = condition_threats(observation, {});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kThrottled);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(rows[0].finding.find("2 of 10 trials") != std::string::npos);
  CHECK(rows[0].finding.find(": 2 devices, batch 8.") != std::string::npos);
}

TEST_CASE("oversubscribed cells are counted", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(2, 2, 8), kFive);
  cell.row.oversubscribed = true;
  const auto rows = condition_threats_of({observe_cell(make_cell(1, 1, 8), kFive), cell});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kOversubscribed);
  CHECK(has_numbers(rows[0].finding, {1, 2}));
}

TEST_CASE("cells without a measured baseline are named", "[analysis]") {
  const auto rows = condition_threats_of({observe_cell(make_cell(2, 2, 8), kFive)});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kMissingBaseline);
  CHECK(numbers_in(rows[0].finding) == test::Numbers{1.0, 2.0, 8.0});

  CellObservation none_declared = observe_cell(make_cell(2, 2, 8), kFive);
  none_declared.row.baseline.reset();
  CHECK(condition_threats_of({none_declared}).empty());
}

TEST_CASE("an adaptive number of trials is noted", "[analysis]") {
  Study study;
  study.trials.until = 0.02;
  study.trials.min = 3;
  const auto rows = condition_threats(
      test::make_observation({observe_cell(make_cell(1, 1, 8), kFive)}, Scaling::kStrong), study);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kAdaptive);
}

TEST_CASE("trials from before and after a change of the study are not mixed in silence",
          "[analysis]") {
  StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), kFive)}, Scaling::kStrong);
  for (TrialObservation& trial : observation.cells[0].trials) {
    trial.row.session_id = 1;
  }
  const std::vector<std::string> lines = {"steps.measured: 10 -> 20", "steps.warmup: 1 -> 2"};
  observation.trial_changes = {{1, lines}, {2, std::vector<std::string>()}};
  CHECK(condition_threats(observation, {}).empty());

  observation.cells[0].trials.back().row.session_id = 2;
  const auto rows = condition_threats(observation, {});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kChangedStudy);
  CHECK(has_numbers(rows[0].finding, {1, 1}));
  CHECK(rows[0].finding.find("steps.measured: 10 -> 20, steps.warmup: 1 -> 2") !=
        std::string::npos);

  observation.trial_changes[1].reset();  // of before schema version 3
  CHECK(condition_threats(observation, {}).size() == 1);
  observation.trial_changes[2].reset();  // another session of an unchanged study
  CHECK(condition_threats(observation, {}).empty());
}

TEST_CASE("trials read by different versions of a preset are not mixed in silence", "[analysis]") {
  StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), kFive)}, Scaling::kStrong);
  Study study;
  study.name = "demo";
  study.extract.resize(1);
  study.extract[0].metric = kStepTime;
  observation.cells[0].trials[0].row.rules_hash = "a";  // older stores do not tell of the others
  CHECK(condition_threats(observation, study).empty());

  study.extract[0].is_of_preset = true;
  const auto rows = condition_threats(observation, study);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kChangedStudy);
  CHECK(has_numbers(rows[0].finding, {1, 1}));
  CHECK(rows[0].finding.find("`scalestudy extract demo`") != std::string::npos);
}

TEST_CASE("a metric that its rule did not find in every trial is told", "[analysis]") {
  StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), kFive)}, Scaling::kStrong);
  Study study;
  study.extract.resize(3);
  study.extract[0].metric = kStepTime;
  study.extract[1].metric = kWindowTime;  // part of the step time
  study.extract[2].metric = "loss";
  for (TrialObservation& trial : observation.cells[0].trials) {
    trial.metrics["loss"] = {.steps = 1, .mean = 2.0};
  }
  CHECK(condition_threats(observation, study).empty());

  observation.cells[0].trials[3].metrics.erase("loss");

  const auto rows = condition_threats(observation, study);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kMissingMetrics);
  CHECK(rows[0].severity == Severity::kNote);
  CHECK(has_numbers(rows[0].finding, {1, 5}));
  observation.mixed_units = {"loss"};  // left out, which is told for itself
  CHECK(condition_threats(observation, study).size() == 1);
  CHECK(condition_threats(observation, study)[0].kind == ThreatKind::kMixedUnits);
}

TEST_CASE("trials of a cell on other numbers of cores are told", "[analysis]") {
  StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), kFive)}, Scaling::kStrong);
  for (TrialObservation& trial : observation.cells[0].trials) {
    trial.cores_per_rank = 1.0;
  }
  CHECK(condition_threats(observation, {}).empty());

  observation.cells[0].trials.back().cores_per_rank = 2.0;

  const auto rows = condition_threats(observation, {});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kChangedCores);
  CHECK(has_numbers(rows[0].finding, {1, 8, 1, 2}));  // devices and batch; cores from, to
}

TEST_CASE("an analysis that was changed after trials had run is told with what changed",
          "[analysis]") {
  StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), kFive)}, Scaling::kStrong);
  observation.analysis_change = AnalysisChange{
      .differences = {"analysis.margin: 0.02 -> 0.05", "analysis.laws.usl: - -> yes"},
      .attempts_before = 3,
      .attempts = 5};
  const auto rows = condition_threats(observation, {});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kChangedAnalysis);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {3, 5, 0.02, 0.05}));
}
