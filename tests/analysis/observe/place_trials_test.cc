// Trials in the cells of an observation.
#include "harness/analysis/observe/place_trials.h"

#include <cstdint>
#include <optional>
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
