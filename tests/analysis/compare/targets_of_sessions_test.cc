// Targets of a cell whose sessions lie on both sides of the level.
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/estimates/estimates.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/compare/declared_targets.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using test::at_least;
using test::at_most;
using test::in_session;
using test::make_cell;
using test::observe_cell;

namespace {

// Two devices at batch 64, with these step times in each session.
TargetResultRow judge(const Target& target, const std::vector<std::vector<double>>& sessions_s) {
  CellObservation cell = observe_cell(make_cell(2, 2, 64), {});
  for (std::size_t i = 0; i < sessions_s.size(); ++i) {
    const CellObservation part = in_session(observe_cell(make_cell(2, 2, 64), sessions_s[i]),
                                            static_cast<std::int64_t>(i) + 1);
    cell.trials.insert(cell.trials.end(), part.trials.begin(), part.trials.end());
  }
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.targets = {target};
  study.cost = Cost{.price = {.per_device_hour = 2.0},
                    .train = Training{.samples = 64e6},
                    .lines = {{.name = "storage", .per_training = 7.0}}};
  const StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
  Results results;
  results.estimates = estimate_cells(observation, study);
  return judge_targets(observation, study, results).at(0);
}

const std::vector<std::vector<double>> kTwoNights = {{3.69e-3, 3.70e-3, 3.71e-3},
                                                     {4.45e-3, 4.46e-3, 4.47e-3}};
const std::vector<std::vector<double>> kRounded = {{3.7e-3, 3.7e-3}, {4.46e-3, 4.46e-3}};

}  // namespace

TEST_CASE("a target between the means of two sessions that differ is undecided", "[analysis]") {
  // Mean 4.08 ms; of spread 0.01 ms within sessions, so by the interval alone 4.2 ms would be met.
  for (const Target& target : {at_most("step_time_s", 4.2e-3),                  // would be met
                               at_most("step_time_s", 4.0e-3),                  // would be missed
                               at_least("throughput", 15000.0),                 // 17297 and 14350
                               at_most("cost_per_million_samples", 0.0729)}) {  // 0.0642, 0.0774
    const TargetResultRow row = judge(target, kTwoNights);
    CAPTURE(row.finding);
    CHECK(row.verdict == TargetVerdict::kUndecided);
    CHECK_THAT(row.finding,
               EndsWith("(session 1 meets it and session 2 does not, which chance does not "
                        "explain: p < 0.0001)"));
  }
}

TEST_CASE("the session that meets a target may be the slower one", "[analysis]") {
  CHECK_THAT(judge(at_most("throughput", 15000.0), kTwoNights).finding,
             Contains("(session 2 meets it and session 1 does not,"));
}

TEST_CASE("sessions without any spread contradict each other as well", "[analysis]") {
  // A training of a million steps at 4 an hour and 7 in any case costs 11.11 and 11.96.
  for (const Target& target : {at_most("step_time_s", 4.2e-3),
                               at_most("cost_per_million_samples", 0.0729),
                               at_most("training_cost", 11.8)}) {
    const TargetResultRow row = judge(target, kRounded);
    CAPTURE(row.finding);
    CHECK(row.verdict == TargetVerdict::kUndecided);
    CHECK_THAT(row.finding,
               EndsWith("(session 1 meets it and session 2 does not, which chance does not "
                        "explain)"));
  }
  CHECK(judge(at_most("training_cost", 12.2), kRounded).verdict == TargetVerdict::kMet);
  CHECK(judge(at_most("training_cost", 11.0), kRounded).verdict == TargetVerdict::kMissed);
}

TEST_CASE("a target that all sessions meet, or miss, is decided however they differ",
          "[analysis]") {
  CHECK(judge(at_most("step_time_s", 4.6e-3), kTwoNights).verdict == TargetVerdict::kMet);
  CHECK(judge(at_most("step_time_s", 3.6e-3), kTwoNights).verdict == TargetVerdict::kMissed);
}

TEST_CASE("sessions that chance alone sets apart contradict no target", "[analysis]") {
  // Means 4.00 and 4.02 ms, 0.1 ms of spread: F = 0.06.
  CHECK_THAT(judge(at_most("step_time_s", 4.01e-3),
                   {{3.9e-3, 4.0e-3, 4.1e-3}, {3.92e-3, 4.02e-3, 4.12e-3}})
                 .finding,
             EndsWith("(the interval contains the level)"));
}

TEST_CASE("five sessions are in the interval, and contradict no target", "[analysis]") {
  CHECK_THAT(judge(at_most("step_time_s", 4.0e-3),
                   {{3.7e-3, 3.71e-3},
                    {4.3e-3, 4.31e-3},
                    {3.8e-3, 3.81e-3},
                    {4.2e-3, 4.21e-3},
                    {4.0e-3, 4.01e-3}})
                 .finding,
             EndsWith("(the interval contains the level)"));
}
