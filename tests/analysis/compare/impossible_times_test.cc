// Targets and thresholds on step times that add up to more than their trials took.
#include <utility>
#include <vector>

#include "harness/analysis/compare/targets.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/thresholds/thresholds.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/compare/declared_targets.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using test::at_least;
using test::at_most;

namespace {

// Two devices, 100 steps of about 1 s in trials of that many seconds, in which the program prints
// a waiting time, a utilization of about 0.4 and 100 tokens/s.
CellObservation cell_of(std::int64_t id, std::int64_t batch, double wall_s) {
  CellObservation cell = test::observe_cell(test::make_cell(id, 2, batch), {1.0, 1.01, 0.99, 1.0});
  for (TrialObservation& trial : cell.trials) {
    trial.row.wall_s = wall_s;
    const TrialMetric times_s = trial.metrics[kStepTime];
    trial.metrics["wait_time_s"] = times_s;
    trial.metrics["model_flop_utilization"] = times_s;
    trial.metrics["model_flop_utilization"].mean *= 0.4;
    trial.metrics["tokens_per_second"] = times_s;
    trial.metrics["tokens_per_second"].mean *= 100.0;
  }
  return cell;
}

Study study_with_rules() {
  Study study;
  study.workload = Workload::kCommand;
  for (const char* metric :
       {kStepTime, "wait_time_s", "model_flop_utilization", "tokens_per_second"}) {
    study.extract.emplace_back().metric = metric;
  }
  return study;
}

// At batch 64.
TargetResultRow judge(const Target& target, double wall_s) {
  const CellObservation cell = cell_of(2, 64, wall_s);
  Study study = study_with_rules();
  study.analysis.targets = {target};
  study.analysis.metrics = {{.metric = "wait_time_s", .is_higher_better = false}};
  study.cost = Cost{.price = {.per_device_hour = 2.0}};
  StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
  observation.units["wait_time_s"] = "s";
  observation.units["model_flop_utilization"] = "1";
  observation.units["tokens_per_second"] = "tokens/s";
  Results results;
  results.estimates = estimate_cells(observation, study);
  return judge_targets(observation, study, results).at(0);
}

}  // namespace

TEST_CASE("a target on times that cannot be is undecided", "[analysis]") {
  // 64 samples/s; 2 devices at 2 an hour for 1/64 s a sample are 17.36 for a million.
  for (const auto& [target, verdict] :
       {std::pair(at_least("step_time_s", 0.5), TargetVerdict::kMet),
        std::pair(at_most("step_time_s", 0.5), TargetVerdict::kMissed),
        std::pair(at_least("throughput", 32.0), TargetVerdict::kMet),
        std::pair(at_most("cost_per_million_samples", 20.0), TargetVerdict::kMet)}) {
    CAPTURE(target.metric);
    CHECK(judge(target, 110.0).verdict == verdict);
    const TargetResultRow row = judge(target, 0.1);
    CHECK(row.verdict == TargetVerdict::kUndecided);
    CHECK_THAT(row.finding,
               EndsWith("(the measured steps of 4 of 4 trials add up to more than the trial "
                        "took)"));
  }
}

TEST_CASE("a target on a value that the program prints does not rest on its step times",
          "[analysis]") {
  for (const Target& target : {at_most("wait_time_s", 2.0),
                               at_least("model_flop_utilization", 0.3),
                               at_least("tokens_per_second", 50.0)}) {
    const TargetResultRow row = judge(target, 0.1);
    INFO(row.finding);
    CHECK(row.verdict == TargetVerdict::kMet);
    CHECK_THAT(row.finding, !Contains("add up"));
  }
}

TEST_CASE("a target on a part of the step that is longer than the step is undecided",
          "[analysis]") {
  const auto judge_share = [](double share) {
    CellObservation cell = cell_of(2, 64, 110.0);
    for (TrialObservation& trial : cell.trials) {
      TrialMetric part = trial.metrics[kStepTime];
      part.mean = share;  // of steps of about 1 s
      trial.metrics[kExposed] = part;
      part.mean /= trial.metrics[kStepTime].mean;
      trial.metrics["exposed_communication_share"] = part;
    }
    Study study = study_with_rules();
    study.analysis.targets = {at_most("exposed_communication_share", 0.3)};
    study.analysis.metrics = {{.metric = "exposed_communication_share", .is_higher_better = false}};
    StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
    observation.units["exposed_communication_share"] = "1";
    Results results;
    results.estimates = estimate_cells(observation, study);
    return judge_targets(observation, study, results).at(0);
  };
  CHECK(judge_share(0.25).verdict == TargetVerdict::kMet);
  CHECK(judge_share(0.95).verdict == TargetVerdict::kMissed);

  const TargetResultRow row = judge_share(1.25);
  CHECK(row.verdict == TargetVerdict::kUndecided);
  CHECK_THAT(row.finding, EndsWith("(a part of the step is longer than the step)"));
}

TEST_CASE("a threshold leaves out cells whose times cannot be", "[analysis]") {
  Study study = study_with_rules();
  study.analysis.thresholds = {
      {.metric = kStepTime, .level = 0.5, .along = "batch_global", .is_relative = false}};
  const auto find = [&](double wall_s) {
    const StudyObservation observation = test::make_observation(
        {cell_of(2, 64, 110.0), cell_of(3, 128, 110.0), cell_of(4, 256, wall_s)}, Scaling::kStrong);
    Results results;
    results.estimates = estimate_cells(observation, study);
    return find_thresholds(observation, study, results).at(0);
  };
  const ThresholdRow all = find(110.0);
  CHECK(all.tested_values == 3);
  CHECK(all.family_size == 3);
  CHECK_THAT(all.finding, !Contains("left out"));

  const ThresholdRow row = find(0.1);
  CHECK(row.tested_values == 2);
  CHECK(row.family_size == 2);
  CHECK_THAT(row.finding, EndsWith(" (1 cell without a usable step time left out)"));
}
