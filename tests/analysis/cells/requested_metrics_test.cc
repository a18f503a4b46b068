// Metrics that a study asks for: as comparisons and targets.
#include <cmath>
#include <functional>
#include <set>

#include "harness/analysis/compare/look_plan.h"
#include "harness/analysis/compare/targets.h"
#include "tests/analysis/memory_metric.h"
#include "tests/study/study_text.h"

using namespace scalestudy;
using test::compare;
using test::find;
using test::make_cell;
using test::make_observation;
using test::make_study;
using test::study_of_memory;
using test::with_memory;

namespace {

std::vector<CellObservation> cells() {
  return {with_memory(make_cell(1, 1, 256), test::kPairedBase),
          with_memory(make_cell(2, 4, 256), test::kPairedCell)};
}

}  // namespace

TEST_CASE("a requested metric is compared as its value over the baseline's", "[analysis]") {
  const ComparisonRow row = find(compare(cells(), study_of_memory(false)), "memory", 2);

  // The reciprocals of what comparisons_test.cc expects of the same values as times.
  CHECK(*row.value == Approx(1.0 / 3.6351838210770184).epsilon(1e-9));
  CHECK(*row.lo == Approx(1.0 / 3.6571795575).epsilon(1e-9));
  CHECK(*row.hi == Approx(1.0 / 3.6133203758).epsilon(1e-9));
  CHECK(*row.p_value < 1e-19);
  CHECK(row.method == RatioMethod::kPaired);
  CHECK(row.n == 10);
  CHECK(row.n_baseline == 10);
}

TEST_CASE("which direction is better decides the word, not the number", "[analysis]") {
  const ComparisonRow lower = find(compare(cells(), study_of_memory(false)), "memory", 2);
  const ComparisonRow higher = find(compare(cells(), study_of_memory(true)), "memory", 2);

  CHECK(lower.verdict == Verdict::kBetter);
  CHECK(higher.verdict == Verdict::kWorse);
  CHECK(lower.value == higher.value);
  CHECK_THAT(lower.finding, Catch::Contains(" the memory of 1 device"));
  CHECK_THAT(lower.finding, Catch::Contains("better by more than 2 %"));
  CHECK_THAT(higher.finding, Catch::Contains("worse by more than 2 %"));
}

TEST_CASE("a metric by its median takes each trial's median", "[analysis]") {
  const ComparisonRow row =
      find(compare(cells(), study_of_memory(false, TrialStatistic::kP50)), "memory", 2);

  CHECK(*row.value == Approx(1.0).margin(1e-12));
  CHECK_THAT(row.finding, Catch::Contains("the median memory of"));
}

TEST_CASE("trials and blocks of few trials are counted by side", "[analysis]") {
  Study study = study_of_memory(false);
  study.order.design = OrderDesign::kBatch;

  const ComparisonRow row = find(compare({with_memory(make_cell(1, 1, 256), {4.0, 4.2, 4.4}),
                                          with_memory(make_cell(2, 4, 256), {2.0, 2.2})},
                                         study),
                                 "memory",
                                 2);

  CHECK(*row.value == Approx(2.1 / 4.2).epsilon(1e-12));
  CHECK(row.n == 2);
  CHECK(row.n_baseline == 3);
}

TEST_CASE("a metric that no trial varies in is compared exactly", "[analysis]") {
  const auto judged = [](double base, double cell) {
    return find(compare({with_memory(make_cell(1, 1, 256), std::vector<double>(5, base)),
                         with_memory(make_cell(2, 4, 256), std::vector<double>(5, cell))},
                        study_of_memory(false)),
                "memory",
                2);
  };

  CHECK(judged(1000.0, 900.0).verdict == Verdict::kBetter);
  CHECK(judged(1000.0, 1030.0).verdict == Verdict::kWorse);
  CHECK(judged(1000.0, 1001.0).verdict == Verdict::kEquivalent);  // within the margin
  CHECK(judged(1000.0, 1000.0).verdict == Verdict::kEquivalent);
  CHECK(*judged(1000.0, 900.0).value == Approx(0.9).epsilon(1e-12));
  CHECK_FALSE(judged(1000.0, 900.0).lo);
  CHECK_THAT(judged(1000.0, 900.0).finding,
             Catch::Contains("better by more than 2 %; the same in all trials"));
  CHECK_THAT(judged(1000.0, 1001.0).finding,
             Catch::Contains("(worse, by less than the margin; the same in all trials)"));
}

TEST_CASE("bytes are as many on crowded cores and in types that these convert", "[analysis]") {
  const auto judged = [](const std::vector<double>& memory,
                         const std::function<void(CellObservation&)>& alter,
                         const std::string& unit = "bytes") {
    CellObservation cell = with_memory(make_cell(2, 4, 256), memory);
    alter(cell);
    StudyObservation observation =
        make_observation({with_memory(make_cell(1, 1, 256), std::vector<double>(5, 1000.0)), cell},
                         Scaling::kStrong);
    observation.units["memory"] = unit;
    return find(compare_cells(observation, study_of_memory(false)), "memory", 2).verdict;
  };
  const auto crowded = [](CellObservation& cell) { cell.row.oversubscribed = true; };
  const auto converting = [](CellObservation& cell) { cell.has_software_type = true; };
  const std::vector<double> same(5, 500.0);
  const std::vector<double> varying = {500.0, 501.0, 502.0, 503.0, 504.0};

  CHECK(judged(same, crowded) == Verdict::kBetter);
  CHECK(judged(same, converting) == Verdict::kBetter);
  CHECK(judged(varying, crowded) == Verdict::kNoClaim);  // it may hang on times
  CHECK(judged(varying, converting) == Verdict::kSoftwareType);
  // Of a program that prints whole seconds all trials may be the same, and crowding made them so.
  CHECK(judged(same, crowded, "s") == Verdict::kNoClaim);
  CHECK(judged(same, crowded, "") == Verdict::kNoClaim);
  // Nor does a setting that was not applied get the credit for bytes.
  const auto unapplied = [](CellObservation& cell) {
    cell.row.oversubscribed = true;
    cell.row.parameters.push_back({"env.NCCL_ALGO", "Ring", ValueKind::kText, true});
    for (TrialObservation& trial : cell.trials) {
      trial.settings["NCCL_ALGO"] = 0.0;
    }
  };
  CHECK(judged(same, unapplied) == Verdict::kNotApplied);
}

// A metric 0.5 % above its base's, in pairs that differ by 0.02 %: within the study's 2 %, beyond
// 0.1 %, and of what has none of its own the study's is meant.
TEST_CASE("a metric is judged by its own margin, and step times by the study's", "[analysis]") {
  Study study = study_of_memory(false);
  std::vector<double> above;
  for (std::size_t i = 0; i < test::kPairedBase.size(); ++i) {
    above.push_back(test::kPairedBase[i] * (i % 2 == 0 ? 1.0049 : 1.0051));
  }
  const auto judged = [&] {
    return find(compare({with_memory(make_cell(1, 1, 256), test::kPairedBase),
                         with_memory(make_cell(2, 4, 256), above)},
                        study),
                "memory",
                2);
  };
  CHECK(judged().verdict == Verdict::kEquivalent);
  CHECK(judged().margin == 0.02);

  study.analysis.metrics.front().margin = 0.001;
  CHECK(judged().verdict == Verdict::kWorse);
  CHECK(judged().margin == 0.001);
  CHECK(*judged().equivalence_p > 0.99);
  CHECK_THAT(judged().finding, Catch::Contains("worse by more than 0.1 %"));

  study.analysis.metrics.front().margin = 0.01;
  CHECK(judged().verdict == Verdict::kEquivalent);
  CHECK_THAT(judged().finding, Catch::Contains("equivalent within +/-1 %"));
  const ComparisonRow speedup = find(compare(cells(), study), kSpeedup, 2);
  CHECK(speedup.margin == 0.02);
}

TEST_CASE("trials of one seed are one accuracy, however often they repeat it", "[analysis]") {
  Study study = make_study();
  study.analysis.metrics = {{.metric = "accuracy", .is_higher_better = true}};
  const std::vector<CellObservation> all = {
      test::learn_cell(make_cell(1, 1, 256), 2, std::vector<double>(5, 0.912), "false"),
      test::learn_cell(make_cell(2, 4, 256), 2, std::vector<double>(5, 0.890), "false")};

  const ComparisonRow row = find(compare(all, study), "accuracy", 2);
  CHECK(*row.value == Approx(0.890 / 0.912).epsilon(1e-12));
  CHECK(row.n == 1);
  CHECK(row.n_baseline == 1);
  CHECK(row.verdict == Verdict::kNotEnoughData);
  CHECK_THAT(row.finding,
             Catch::EndsWith("not enough data (all trials have one seed; vary_seed: true gives "
                             "each block its own)"));

  // Of floors in time each trial has steps of its own, but of epochs the number is fixed.
  study.steps.warmup_time_s = 0.2;
  CHECK(find(compare(all, study), "accuracy", 2).n == 10);
  study.steps.is_open = true;
  CHECK(find(compare(all, study), "accuracy", 2).n == 1);

  // More trials would say no more, so that no run for verdicts waits for it.
  study.trials = {.count = 40, .min = 5, .until = std::nullopt, .is_for_verdicts = true};
  std::vector<CellObservation> decided = all;
  for (std::size_t i = 0; i < decided[1].trials.size(); ++i) {
    decided[1].trials[i].metrics[kStepTime].mean = i % 2 == 0 ? 0.500 : 0.501;
  }
  CHECK(open_cells(make_observation(decided, Scaling::kStrong), study, 5).empty());
}

TEST_CASE("what is open after some blocks rests on their trials alone", "[analysis]") {
  Study study = make_study();
  study.trials = {.count = 40, .min = 5, .until = std::nullopt, .is_for_verdicts = true};
  const StudyObservation observation = make_observation(
      {test::observe_cell(make_cell(1, 1, 256), {1.0, 1.001, 1.0, 1.001, 1.0, 1.001}),
       test::observe_cell(make_cell(2, 2, 256), {0.6, 0.601, 0.6, 0.601, 0.6, 5.0})},
      Scaling::kStrong);

  CHECK(open_cells(observation, study, 5).empty());
  CHECK(open_cells(observation, study, 6) == std::set<std::int64_t>{1, 2});
}

TEST_CASE("fewer than five seeds say nothing of how accurate networks become", "[analysis]") {
  Study study = make_study();
  study.analysis.margin = 0.05;
  study.analysis.metrics = {{.metric = "accuracy", .is_higher_better = true}};
  const auto judged = [&](const std::vector<double>& base, const std::vector<double>& cell) {
    return find(compare({test::learn_cell(make_cell(1, 1, 256), 1, base, "true"),
                         test::learn_cell(make_cell(2, 4, 256), 1, cell, "true")},
                        study),
                "accuracy",
                2);
  };
  const std::vector<double> base = {0.912, 0.908, 0.915, 0.910, 0.913};
  const std::vector<double> cell = {0.911, 0.909, 0.914, 0.910, 0.912};
  CHECK(judged(base, cell).verdict == Verdict::kEquivalent);
  // 1 - 0.05^(1/5)
  CHECK_THAT(
      judged(base, cell).finding,
      Catch::Contains("equivalent within +/-5 %") &&
          Catch::Contains("for seeds that train; with no failure among 5 seeds, up to 45.1 % "
                          "may still fail (95 % bound)"));
  CHECK_FALSE(
      Catch::Contains("seeds that train").match(judged(base, {0.7, 0.7, 0.7, 0.7, 0.7}).finding));
  const std::vector<double> failed = {0.912, 0.908, 0.1, 0.910, 0.913};
  CHECK(judged(failed, failed).verdict == Verdict::kNoDetectableDifference);
  CHECK_THAT(judged(base, failed).finding,
             Catch::Contains("1 of 5 seeds of this cell and 0 of 5 of its base failed to train"));

  const std::vector<double> four(base.begin(), base.end() - 1);
  const ComparisonRow few = judged(four, cell);
  CHECK(few.verdict == Verdict::kNotEnoughData);
  CHECK(*few.value == Approx((0.911 + 0.909 + 0.914 + 0.910) / (0.912 + 0.908 + 0.915 + 0.910)));
  CHECK_FALSE(few.lo);
  CHECK_FALSE(few.p_value);
  CHECK_FALSE(few.equivalence_p);
  CHECK_THAT(few.finding,
             Catch::EndsWith("not enough data (4 seeds of both; 5 are needed for an interval)"));
  CHECK(judged(four, four).verdict == Verdict::kNotEnoughData);  // the same accuracy in all four
}

// As accuracy is with the same seeds on other numbers of ranks: it varies over the blocks, and the
// pairs do not.
TEST_CASE("a metric that varies over blocks and not within them is compared exactly",
          "[analysis]") {
  const std::vector<double> base = {0.5, 0.75, 0.625, 0.875, 0.5};
  const auto judged = [&](const std::vector<double>& values) {
    return find(compare({with_memory(make_cell(1, 1, 256), base),
                         with_memory(make_cell(2, 4, 256), values)},
                        study_of_memory(true)),
                "memory",
                2);
  };

  CHECK(judged(base).verdict == Verdict::kEquivalent);
  CHECK(*judged(base).value == 1.0);
  CHECK_THAT(judged(base).finding, Catch::Contains("(the ratio is the same in all blocks)"));
  const ComparisonRow half = judged({0.25, 0.375, 0.3125, 0.4375, 0.25});
  CHECK(half.verdict == Verdict::kWorse);
  CHECK_THAT(half.finding, Catch::Contains("; the ratio is the same in all blocks"));
}

TEST_CASE("a value that is not positive makes no comparison", "[analysis]") {
  const ComparisonRow row = find(compare({with_memory(make_cell(1, 1, 256), {1.0, 0.0, 1.0}),
                                          with_memory(make_cell(2, 4, 256), {1.0, 1.0, 1.1})},
                                         study_of_memory(false)),
                                 "memory",
                                 2);

  CHECK(row.verdict == Verdict::kNotEnoughData);
  CHECK_THAT(row.finding, Catch::Contains("a value of memory is not a positive number"));
  CellObservation slow = with_memory(make_cell(2, 4, 256), {1.0, 1.0, 1.1});
  slow.slow_p = 0.001;  // a note on slow launches, which there is no ratio to change by
  const ComparisonRow of_zero = find(
      compare({with_memory(make_cell(1, 1, 256), {0.0, 0.0, 0.0}), slow}, study_of_memory(false)),
      "memory",
      2);
  CHECK(of_zero.remark == "memory of the base is 0 in all trials");
}

TEST_CASE("a target on a requested metric is on its value, with its unit", "[analysis]") {
  Study study = study_of_memory(false);
  study.analysis.targets = {{.name = "fits",
                             .metric = "memory",
                             .where = {{"devices", std::int64_t{4}}},
                             .at_least = {},
                             .at_most = 0.2}};
  StudyObservation observation = make_observation(cells(), Scaling::kStrong);
  observation.units["memory"] = "GiB";
  Results results;
  EstimateRow mean;
  mean.cell_id = 2;
  mean.metric = "memory";
  mean.statistic = Statistic::kMean;
  mean.value = 0.109;
  mean.lo = 0.105;
  mean.hi = 0.113;
  EstimateRow median = mean;
  median.statistic = Statistic::kP50;
  median.value = median.lo = median.hi = 1.0;
  results.estimates = {mean, median};

  const auto by_mean = judge_targets(observation, study, results);
  study.analysis.metrics[0].by = TrialStatistic::kP50;
  const auto by_median = judge_targets(observation, study, results);

  REQUIRE(by_mean.size() == 1);
  CHECK(by_mean[0].verdict == TargetVerdict::kMet);
  CHECK_THAT(by_mean[0].finding,
             Catch::Contains(" GiB [") && Catch::Contains("wanted at most 0.2 GiB"));
  REQUIRE(by_median.size() == 1);
  CHECK(by_median[0].verdict == TargetVerdict::kMissed);
}

TEST_CASE("a metric of a program may not bear the name of a comparison", "[analysis]") {
  const auto problems_of = [](const char* workload, const std::string& metric) {
    return test::problems_of("version: 1\nstudy: example\n" + std::string(workload) +
                             "analysis: {metrics: [{metric: \"" + metric +
                             "\", better: lower}]}\n");
  };
  constexpr const char* command = "workload: command\ncommand: [a]\n";
  constexpr const char* train = "workload: train\nparameters: {batch_global: 8}\n";

  for (const char* name : {kSynchronization,
                           kTransfer,
                           kOverlapGain,
                           kAa,
                           kDeviceMatch,
                           kFastest,
                           kAgainstWinner,
                           "cheapest",
                           "cheapest:spot"}) {
    CAPTURE(name);
    CHECK_THAT(problems_of(command, name),
               Catch::Contains("s.yaml:5:") && Catch::Contains("is a comparison of every study"));
  }
  CHECK_THAT(problems_of(train, "computation_share"), Catch::Contains("such as forward_time_s"));
  CHECK_THAT(problems_of(train, "cost_per_million_samples:spot"),
             Catch::Contains("is compared, or follows from what is"));
  CHECK_THAT(problems_of(train, "expected_overhead"), Catch::Contains("such as downtime_s"));
  CHECK(problems_of(train, "forward_time_s").empty());
  CHECK(problems_of(command, "loss_final").empty());  // its own
}
