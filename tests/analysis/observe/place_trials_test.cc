// Trials in the cells of an observation.
#include "harness/analysis/observe/place_trials.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("trials skipped after failures are counted beside the planned ones", "[analysis]") {
  StudyObservation observation =
      test::make_observation({test::observe_cell(test::make_cell(1, 1, 8), {})}, Scaling::kStrong);
  std::vector<TrialRow> trials;
  const auto add = [&](TrialState state, std::optional<SkipReason> why) {
    TrialRow& trial = trials.emplace_back();
    trial.id = static_cast<std::int64_t>(trials.size());
    trial.cell_id = 1;
    trial.block = trial.id;
    trial.state = state;
    trial.skip_reason = why;
  };
  add(TrialState::kOk, std::nullopt);
  add(TrialState::kSkipped, SkipReason::kTooLarge);
  add(TrialState::kSkipped, SkipReason::kFailures);
  add(TrialState::kSkipped, SkipReason::kPrecise);  // it has what it needs
  add(TrialState::kOom, std::nullopt);
  add(TrialState::kTimeout, std::nullopt);
  add(TrialState::kInvalid, std::nullopt);

  place_trials({}, trials, observation);

  CHECK(observation.cells.at(0).planned == 4);
  CHECK(observation.cells.at(0).given_up == 2);
  CHECK(observation.cells.at(0).lost == 2);
  CHECK(observation.cells.at(0).out_of_memory == 1);
}

TEST_CASE("an excluded attempt that a later one replaced is none of the trials left out",
          "[analysis]") {
  StudyObservation observation =
      test::make_observation({test::observe_cell(test::make_cell(1, 1, 8), {})}, Scaling::kStrong);
  std::vector<TrialRow> trials(3);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].id = static_cast<std::int64_t>(i) + 1;
    trials[i].cell_id = 1;
    trials[i].block = i < 2 ? 0 : 1;
    trials[i].state = TrialState::kInvalid;
  }
  trials[0].superseded = true;
  trials[1].attempt = 2;
  trials[1].state = TrialState::kOk;
  const std::vector<AnnotationRow> annotations{
      {.trial_id = 1, .at = "now", .kind = AnnotationKind::kExclude, .text = "a backup"},
      {.trial_id = 3, .at = "now", .kind = AnnotationKind::kExclude, .text = "door open"}};

  place_trials(annotations, trials, observation);

  CHECK(observation.cells.at(0).excluded == std::map<std::int64_t, std::string>{{3, "door open"}});
  CHECK(observation.cells.at(0).failures.empty());
}

TEST_CASE("a launch counts once as failed, however often its output was read", "[analysis]") {
  StudyObservation observation =
      test::make_observation({test::observe_cell(test::make_cell(1, 1, 8), {})}, Scaling::kStrong);
  std::vector<TrialRow> trials;
  const auto add = [&](double wall_s, TrialState state) {
    TrialRow& trial = trials.emplace_back();
    trial.id = static_cast<std::int64_t>(trials.size());
    trial.cell_id = 1;
    trial.attempt = trial.id;
    trial.superseded = true;
    trial.session_id = 1;
    trial.started_at = "2026-11-30T14:43:52Z";
    trial.wall_s = wall_s;
    trial.exit_code = 0;
    trial.state = state;
  };
  // Two launches, of which the second was read three times, once by a wrong rule.
  add(2.0, TrialState::kInvalid);
  add(3.0, TrialState::kOk);
  add(3.0, TrialState::kInvalid);
  add(3.0, TrialState::kOk);
  trials.back().superseded = false;

  place_trials({}, trials, observation);

  const CellObservation& cell = observation.cells.at(0);
  CHECK(cell.failures == std::map<std::string, std::int64_t>{{"invalid", 1}});
  CHECK(cell.retried == std::map<std::string, std::int64_t>{{"invalid", 1}});
  CHECK(cell.chosen.trials == 1);
  CHECK(cell.chosen.failures == 1);
  CHECK(cell.chosen.launches == 2);
  CHECK(cell.planned == 1);
  REQUIRE(cell.trials.size() == 1);
  CHECK(cell.trials[0].row.id == 4);
}
