// What adaptive runs stop on, and what is said of it.
#include "harness/analysis/estimates/precision.h"

#include <vector>

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::has_numbers;
using test::make_cell;
using test::observe_cell;

namespace {

Study adaptive(double until, int min, int max) {
  Study study;
  study.trials.until = until;
  study.trials.min = min;
  study.trials.count = max;
  return study;
}

std::vector<TrialMean> in_one_session(std::span<const double> times_s) {
  std::vector<TrialMean> trials;
  for (const double time_s : times_s) {
    trials.push_back({.session = 1, .step_time_s = time_s});
  }
  return trials;
}

// Relative half-widths of the first 3, 4 ... of them: 2.5 %, 1.3 %, 0.88 %, 0.66 % ...
const std::vector<double> kCalm = {1.00, 1.01, 0.99, 1.00, 1.00, 1.00, 1.00};
const std::vector<double> kWild = {1.00, 1.20, 0.80, 1.10, 0.90, 1.15};

}  // namespace

TEST_CASE("precision is the relative half-width of the t interval", "[analysis]") {
  // Mean 2, sd sqrt(4/3), se 0.5773503, t(0.975, 3) = 3.182446: half-width 1.837386.
  const auto trials = in_one_session(std::vector{1.0, 1.0, 3.0, 3.0});

  CHECK(*trial_precision(Study{}, trials).relative_half_width == Approx(0.918693).epsilon(1e-6));
  CHECK_FALSE(trial_precision(adaptive(0.91, 4, 9), trials).met_at.has_value());
  CHECK(trial_precision(adaptive(0.92, 4, 9), trials).met_at == 4);
}

TEST_CASE("a cell stops two trials after it is known well enough", "[analysis]") {
  const Study study = adaptive(0.02, 3, 50);
  const std::span<const double> calm = kCalm;

  CHECK(trial_precision(study, in_one_session(calm.first(4))).met_at == 4);
  CHECK_FALSE(trial_precision(study, in_one_session(calm.first(5))).stop_at.has_value());
  CHECK(trial_precision(study, in_one_session(calm)).stop_at == 6);
  CHECK(trial_precision(adaptive(0.02, 5, 50), in_one_session(calm)).stop_at ==
        7);  // no look before the fifth
}

TEST_CASE("one trial has no precision", "[analysis]") {
  const TrialPrecision one =
      trial_precision(adaptive(0.5, 2, 9), {{.session = 1, .step_time_s = 1.0}});

  CHECK_FALSE(one.relative_half_width.has_value());
  CHECK_FALSE(one.met_at.has_value());
}

TEST_CASE("a study with a fixed count is never stopped by precision", "[analysis]") {
  const std::vector<double> equal = {1.0, 1.0, 1.0};
  const auto observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), equal)}, Scaling::kStrong);

  CHECK_FALSE(trial_precision(Study{}, in_one_session(equal)).stop_at.has_value());
  CHECK_FALSE(find_stop(observation.cells[0], observation, Study{}).has_value());
  CHECK(adaptive_threats(observation, Study{}).empty());
}

TEST_CASE("what stops a cell is the interval that is printed", "[analysis]") {
  // Two trials a session. Over ten trials: sd 0.00667, t(0.975, 9) = 2.262157, half-width 0.477 %.
  // Over five sessions: sd 0.00707, t(0.975, 4) = 2.776445, half-width 0.878 %.
  CellObservation cell =
      observe_cell(make_cell(1, 1, 8), {1.0, 1.0, 1.01, 1.01, 0.99, 0.99, 1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    cell.trials[i].row.session_id = static_cast<std::int64_t>(i / 2);
  }
  const auto stop = [&](double until) {
    const auto observation = test::make_observation({cell}, Scaling::kStrong);
    return *find_stop(observation.cells[0], observation, adaptive(until, 10, 10));
  };

  CHECK(stop(0.006).reason == RowStatus::kBudget);
  CHECK_FALSE(stop(0.006).achieved.met_at.has_value());
  CHECK(*stop(0.006).achieved.relative_half_width == Approx(0.00878).epsilon(1e-3));
  CHECK(stop(0.009).reason == RowStatus::kPrecision);
}

TEST_CASE("what two sessions are apart does not hold up a cell", "[analysis]") {
  const std::vector<double> times_s = {1.00, 1.01, 0.99, 1.10, 1.11, 1.09};
  std::vector<TrialMean> trials = in_one_session(times_s);
  CHECK_FALSE(trial_precision(adaptive(0.02, 6, 9), trials).met_at.has_value());

  for (std::size_t i = 3; i < trials.size(); ++i) {
    trials[i].session = 2;
  }
  CHECK(trial_precision(adaptive(0.02, 6, 9), trials).met_at == 6);
}

TEST_CASE("what stopped a cell follows from its trials and the last session", "[analysis]") {
  const Study study = adaptive(0.02, 3, 6);
  auto observation = test::make_observation(
      {observe_cell(make_cell(1, 1, 8), kCalm), observe_cell(make_cell(2, 2, 8), kWild)},
      Scaling::kStrong);
  CellObservation& wild = observation.cells[1];

  CHECK(find_stop(observation.cells[0], observation, study)->reason == RowStatus::kPrecision);
  CHECK(find_stop(wild, observation, study)->reason == RowStatus::kBudget);
  wild.waiting = 1;
  CHECK(find_stop(wild, observation, study)->reason == RowStatus::kUnfinished);
  observation.last_ending = SessionEnding::kMaxTime;
  CHECK(find_stop(wild, observation, study)->reason == RowStatus::kTime);
  wild.row.role = CellRole::kNoop;
  CHECK_FALSE(find_stop(wild, observation, study).has_value());
}

TEST_CASE("cells that did not meet the target are not said to have stopped at it", "[analysis]") {
  const Study study = adaptive(0.02, 3, 6);
  const CellObservation calm = observe_cell(make_cell(1, 1, 8), kCalm);
  const CellObservation wild = observe_cell(make_cell(2, 2, 8), kWild);
  const auto all_met = adaptive_threats(test::make_observation({calm}, Scaling::kStrong), study);
  const auto one_unmet =
      adaptive_threats(test::make_observation({calm, wild}, Scaling::kStrong), study);
  const auto none_met = adaptive_threats(test::make_observation({wild}, Scaling::kStrong), study);

  REQUIRE(all_met.size() == 1);
  CHECK(all_met[0].severity == Severity::kNote);
  CHECK(has_numbers(all_met[0].finding, {1, 1, 4}));  // met, of all, trials of the first
  REQUIRE(one_unmet.size() == 1);
  CHECK(one_unmet[0].severity == Severity::kWarning);
  // Mean 1.025, sd 0.1541, t(0.975, 5) = 2.5706: half-width 0.1617.
  INFO(one_unmet[0].finding);
  CHECK(has_numbers(one_unmet[0].finding, {1, 2, 4, 1, 2, 8, 15.8, 6}));
  CHECK(has_numbers(none_met.at(0).finding, {0, 1, 1}));
}

TEST_CASE("what stopping costs is told by the first look", "[analysis]") {
  const CellObservation calm = observe_cell(make_cell(1, 1, 8), kCalm);
  for (const auto& [first, lost] :
       {std::pair(2, "2.5 points"), std::pair(8, "1.5 points"), std::pair(10, "1 point")}) {
    const auto rows = adaptive_threats(test::make_observation({calm}, Scaling::kStrong),
                                       adaptive(0.02, first, 60));
    CHECK_THAT(rows.at(0).finding,
               Catch::EndsWith(std::string("cover up to ") + lost + " less than they say."));
  }
}
