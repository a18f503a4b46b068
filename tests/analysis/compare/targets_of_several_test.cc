// Targets over several cells, which share one error rate: judged by tests of the trials.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <tuple>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/estimates/estimates.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/compare/declared_targets.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::at_least;
using test::at_most;
using test::judge_target;
using test::make_cell;
using test::observe_cell;

namespace {

// One base and cells whose speedups over it are the given ones, with trials of about 4 %.
std::vector<CellObservation> cells_with(const std::vector<double>& speedups) {
  std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 64), {1.00, 1.05, 0.95, 1.02, 0.98, 1.0})};
  for (std::size_t i = 0; i < speedups.size(); ++i) {
    CellRow row = make_cell(static_cast<std::int64_t>(i) + 2, 2, 64);
    row.hash += "-" + std::to_string(i);
    std::vector<double> times_s = {0.97, 1.03, 1.04, 0.96, 1.02, 0.98};
    for (double& time_s : times_s) {
      time_s /= speedups[i];
    }
    cells.push_back(observe_cell(row, times_s));
  }
  return cells;
}

std::vector<TargetResultRow> judge_measured(const Target& target,
                                            const std::vector<CellObservation>& cells,
                                            Study study = {}) {
  study.workload = Workload::kTrain;
  study.analysis.targets = {target};
  StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  observation.units["accuracy"] = observation.units["errs"] = "1";
  observation.units["wait_time_s"] = "s";
  observation.units["busbw_bytes_per_s"] = "bytes/s";
  Results results;
  results.comparisons = compare_cells(observation, study);
  results.estimates = estimate_cells(observation, study);
  return judge_targets(observation, study, results);
}

}  // namespace

TEST_CASE("a target over several cells has one verdict, met when every interval meets it",
          "[analysis]") {
  const auto rows = judge_measured(at_least("speedup", 1.5), cells_with({1.7, 1.8, 1.62}));

  REQUIRE(rows.size() == 4);
  CHECK_FALSE(rows[0].cell_id.has_value());
  CHECK(rows[0].verdict == TargetVerdict::kMet);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(rows[i].verdict == TargetVerdict::kMet);
  }
}

TEST_CASE("a target over several cells is missed when a cell misses it with all allowed for",
          "[analysis]") {
  const auto rows = judge_measured(at_least("speedup", 1.5), cells_with({1.8, 1.2, 1.5}));

  REQUIRE(rows.size() == 4);
  CHECK(rows[0].verdict == TargetVerdict::kMissed);
  CHECK_THAT(rows[0].finding,
             Catch::Matchers::Contains("; 1 of 3 cells misses it, for example ") &&
                 Catch::Matchers::EndsWith("; 1 meets it; 1 is undecided"));
  CHECK(rows[1].verdict == TargetVerdict::kMet);
  CHECK(rows[2].verdict == TargetVerdict::kMissed);
  CHECK(rows[3].verdict == TargetVerdict::kUndecided);
}

TEST_CASE("a cell that only its own interval decides is undecided among several", "[analysis]") {
  const auto alone = judge_measured(at_least("speedup", 1.5), cells_with({1.6}));
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].verdict == TargetVerdict::kMet);

  const auto among =
      judge_measured(at_least("speedup", 1.5), cells_with({1.6, 1.5, 1.5, 1.5, 1.5}));
  REQUIRE(among.size() == 6);
  CHECK(among[0].verdict == TargetVerdict::kUndecided);
  CHECK(among[1].verdict == TargetVerdict::kUndecided);
  CHECK(*among[1].lo >= 1.5);
}

namespace {

// The cells with these errors in all trials, or as many as `varying` around the last cell's.
std::vector<CellObservation> cells_with_errors(const std::vector<double>& errors,
                                               std::vector<double> varying = {}) {
  auto cells = cells_with(std::vector<double>(errors.size(), 1.0));
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const bool is_varying = i + 1 == errors.size() && !varying.empty();
    for (std::size_t k = 0; k < cells[i + 1].trials.size(); ++k) {
      const double value = errors[i] * (is_varying ? varying[k] : 1.0);
      cells[i + 1].trials[k].metrics["errs"] = {.steps = 1, .mean = value, .p50 = value};
    }
  }
  return cells;
}

Study study_of_errors() {
  Study study;
  study.analysis.metrics = {{.metric = "errs", .is_higher_better = false}};
  return study;
}

}  // namespace

TEST_CASE("a value that is the level in every trial meets both bounds", "[analysis]") {
  for (const double value : {0.0, 492e6, 0.1 + 0.2}) {
    const double level = value == 0.1 + 0.2 ? 0.3 : value;  // 0.1 + 0.2 is not 0.3
    for (const Target& target : {at_most("errs", level), at_least("errs", level)}) {
      const auto rows = judge_measured(target, cells_with_errors({value}), study_of_errors());
      REQUIRE(rows.size() == 1);
      CHECK(rows[0].verdict == TargetVerdict::kMet);
      CHECK_THAT(rows[0].finding,
                 Catch::Contains(", the same in all 6 trials, wanted at ") &&
                     !Catch::Contains("(") && !Catch::Contains("undecided"));
    }
  }
  CHECK(judge_measured(at_most("errs", 3.0), cells_with_errors({4.0}), study_of_errors())
            .at(0)
            .verdict == TargetVerdict::kMissed);
}

TEST_CASE("a threshold on the ratio to the base asks nothing of the metric itself", "[analysis]") {
  auto cells = cells_with_errors({4.0}, {0.99, 1.01, 1.0, 1.02, 0.98, 1.0});
  for (std::size_t k = 0; k < cells[0].trials.size(); ++k) {
    cells[0].trials[k].metrics["errs"] = cells[1].trials[k].metrics["errs"];
  }
  Study study = study_of_errors();
  study.analysis.thresholds = {{.metric = "errs", .level = 1.0, .along = "devices"}};
  CHECK(judge_measured(at_most("errs", 5.0), cells, study).at(0).family_size == 1);
  study.analysis.thresholds[0].is_relative = false;
  CHECK(judge_measured(at_most("errs", 5.0), cells, study).at(0).family_size == 2);
}

// The last cell has the mean 4 and a standard error of 0.0231 on 5 degrees of freedom: p = 0.044 at
// 3.938 (t = 2.68) and 0.029 at 3.93 (t = 3.03), where the other cell leaves it 0.05 / 2.
TEST_CASE("a level of the ratio to the base is no level of the metric itself", "[analysis]") {
  auto cells = cells_with_errors({3.93, 4.0}, {0.99, 1.01, 1.0, 1.02, 0.98, 1.0});
  for (std::size_t k = 0; k < cells[1].trials.size(); ++k) {
    cells[1].trials[k].metrics["errs"].mean += k % 2 == 0 ? 1e-4 : -1e-4;
  }
  Study study = study_of_errors();
  study.analysis.thresholds = {{.metric = "errs", .level = 3.93, .along = "devices"}};
  const auto last_verdict = [&] {
    return judge_measured(at_least("errs", 3.938), cells, study).back().verdict;
  };
  CHECK(last_verdict() == TargetVerdict::kMet);
  study.analysis.thresholds[0].is_relative = false;
  CHECK(last_verdict() == TargetVerdict::kUndecided);
}

TEST_CASE("two equal readings of a time do not make it the level", "[analysis]") {
  const std::vector<CellObservation> cells = {observe_cell(make_cell(1, 1, 64), {0.02, 0.02}),
                                              observe_cell(make_cell(2, 2, 64), {0.01, 0.01})};
  Study study;
  study.cost.emplace();
  study.cost->price.per_device_hour = 2.0;
  const std::vector<std::pair<std::string, double>> levels = {
      {"step_time_s", 0.01}, {"step_time_s", 0.03 / 3.0}, {"throughput", 6400.0}};
  for (const auto& [metric, level] : levels) {
    for (const Target& target : {at_most(metric, level), at_least(metric, level)}) {
      const TargetResultRow row = judge_measured(target, cells, study).at(0);
      CHECK(row.lo == row.hi);
      CHECK(row.verdict == TargetVerdict::kUndecided);
      CHECK_THAT(row.finding,
                 Catch::EndsWith(" (the trials do not vary at all, so nothing can be tested)"));
    }
  }
  const auto cost = judge_measured(at_most("cost_per_million_samples", 1.0), cells, study).at(0);
  const auto same =
      judge_measured(at_most("cost_per_million_samples", cost.value.value()), cells, study).at(0);
  CHECK(same.verdict == TargetVerdict::kUndecided);
  CHECK(judge_measured(at_most("step_time_s", 0.011), cells).at(0).verdict == TargetVerdict::kMet);

  std::vector<CellObservation> waiting = cells;  // a time that the study names itself
  for (CellObservation& cell : waiting) {
    for (TrialObservation& trial : cell.trials) {
      trial.metrics["wait_time_s"] = {.steps = 1, .mean = 0.003, .p50 = 0.003};
    }
  }
  study.analysis.metrics = {{.metric = "wait_time_s", .is_higher_better = false}};
  CHECK(judge_measured(at_most("wait_time_s", 0.003), waiting, study).at(0).verdict ==
        TargetVerdict::kUndecided);
}

// Against 1.037 the second cell has t = 0.037 / 0.0139 = 2.66 on 5 degrees of freedom, p = 0.045:
// below 5 %, and not below 2.5 %.
TEST_CASE("a value without a spread makes no other comparison harder", "[analysis]") {
  const std::vector<double> varying = {1.00, 1.05, 0.95, 1.02, 0.98, 1.0};
  for (const double exact : {1.0, 1.037}) {
    const auto rows = judge_measured(
        at_most("errs", 1.037), cells_with_errors({exact, 1.0}, varying), study_of_errors());
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].verdict == TargetVerdict::kMet);
    CHECK_FALSE(rows[1].alpha_star.has_value());  // nothing is tested
    CHECK(rows[2].family_size == 1);
    CHECK(rows[2].alpha_star == Approx(0.05));
  }
}

TEST_CASE("of a run for verdicts a target over several cells allows for its looks", "[analysis]") {
  Study looks;
  looks.trials.count = 40;
  looks.trials.min = 6;
  looks.trials.is_for_verdicts = true;
  // The least speedup of one cell among others at the level that is called met.
  const auto least_met = [](std::size_t cells, const Study& study) {
    double speedup = 1.5;
    while (speedup < 3.0) {
      std::vector<double> speedups(cells, 1.5);
      speedups.front() = speedup;
      const auto rows = judge_measured(at_least("speedup", 1.5), cells_with(speedups), study);
      if (rows.at(cells > 1 ? 1 : 0).verdict == TargetVerdict::kMet) {
        return speedup;
      }
      speedup += 0.002;
    }
    return 3.0;
  };

  const double alone = least_met(1, looks);
  const double among_plain = least_met(7, {});
  const double among = least_met(7, looks);
  CHECK(alone > least_met(1, {}));
  CHECK(among > std::max(alone, among_plain) + 0.01);
  CHECK(among < 3.0);
}

TEST_CASE("step times and throughputs of several cells are judged alike", "[analysis]") {
  auto cells = cells_with({1.0, 1.0});
  for (const auto& [metric, level, word] : {std::tuple("step_time_s", 1.2, TargetVerdict::kMet),
                                            {"step_time_s", 0.8, TargetVerdict::kMissed},
                                            {"step_time_s", 1.0, TargetVerdict::kUndecided}}) {
    CHECK(judge_measured(at_most(metric, level), cells).at(0).verdict == word);
  }
  // 64 samples a step of about 1 s.
  CHECK(judge_measured(at_least("throughput", 50.0), cells).at(0).verdict == TargetVerdict::kMet);
  CHECK(judge_measured(at_least("throughput", 90.0), cells).at(0).verdict ==
        TargetVerdict::kMissed);
}

TEST_CASE("a cell without a claim leaves its target undecided at best", "[analysis]") {
  auto cells = cells_with({1.8, 1.9});
  cells[2].row.oversubscribed = true;
  const auto rows = judge_measured(at_least("speedup", 1.5), cells);

  CHECK(rows.at(0).verdict == TargetVerdict::kUndecided);
  CHECK(rows.at(1).verdict == TargetVerdict::kMet);
  CHECK(rows.at(2).verdict == TargetVerdict::kUndecided);
}

TEST_CASE("a target of accuracy is not met for seeds having been run five times", "[analysis]") {
  Study study;
  study.analysis.metrics = {{.metric = "accuracy", .is_higher_better = true}};
  for (const std::int64_t sessions : {1, 5}) {
    // Intervals [0.7922, 0.8203] and [0.7877, 0.8223] of a t with 7 degrees of freedom: the first
    // is above 0.792 alone, and not with both cells allowed for.
    const auto rows = judge_measured(
        at_least("accuracy", 0.792),
        {test::learn_cell(
             make_cell(2, 2, 64), sessions, {0.80, 0.82, 0.79, 0.81, 0.83, 0.78, 0.80, 0.82}),
         test::learn_cell(
             make_cell(3, 2, 64), sessions, {0.81, 0.80, 0.80, 0.79, 0.84, 0.77, 0.82, 0.81})},
        study);

    REQUIRE(rows.size() == 3);
    CHECK(rows[0].verdict == TargetVerdict::kUndecided);
    CHECK(rows[1].verdict == TargetVerdict::kUndecided);
    CHECK(*rows[1].lo == Approx(0.7922).margin(0.0001));
  }
}

TEST_CASE("a rate over another time than the step's is judged over several cells", "[analysis]") {
  Study study;
  study.analysis.metrics = {{.metric = "checkpoint_save_bytes_per_s", .is_higher_better = true}};
  // Saves of 100 MB in about 10 s over the speed: 10 MB/s.
  const auto judge_saves = [&](const std::vector<double>& speeds, double level) {
    auto cells = cells_with(speeds);
    for (CellObservation& cell : cells) {
      for (TrialObservation& trial : cell.trials) {
        const double time_s = 10.0 * trial.metrics[kStepTime].mean;
        trial.metrics["checkpoint_save_time_s"] = {.steps = 1, .mean = time_s};
        trial.metrics["checkpoint_bytes"] = {.steps = 1, .mean = 100e6};
      }
    }
    return judge_measured(at_least("checkpoint_save_bytes_per_s", level), cells, study);
  };

  const auto rows = judge_saves({1.0, 1.0, 1.0}, 100e6);
  REQUIRE(rows.size() == 4);
  for (const TargetResultRow& row : rows) {
    CHECK(row.verdict == TargetVerdict::kMissed);
  }
  CHECK(judge_saves({1.0, 1.0, 1.0}, 5e6).at(0).verdict == TargetVerdict::kMet);
  // Trials have a relative standard error of 1.39 %: t = 0.045 / 0.0139 = 3.24 on 5 degrees of
  // freedom, p = 0.023 alone and 0.069 with three cells allowed for.
  const auto among = judge_saves({1.045, 1.0, 1.0}, 10e6);
  CHECK(*among.at(1).lo > 10e6);
  CHECK(among.at(1).verdict == TargetVerdict::kUndecided);
  CHECK(judge_saves({1.2, 1.0, 1.0}, 10e6).at(1).verdict == TargetVerdict::kMet);
}

TEST_CASE("a bandwidth that is asked for by its median is judged by it", "[analysis]") {
  auto cells = cells_with({1.0, 1.0});  // about 1000 bytes/s by mean times
  for (CellObservation& cell : cells) {
    cell.total_bytes = 1000.0;
    cell.busbw_factor = 1.0;
    double median = 5900.0;
    for (TrialObservation& trial : cell.trials) {
      trial.metrics["busbw_bytes_per_s"] = {.steps = 100, .mean = 1.2 * median, .p50 = median};
      median += 40.0;
    }
  }
  const auto judge_by = [&](TrialStatistic statistic) {
    Study study;
    study.analysis.metrics = {
        {.metric = "busbw_bytes_per_s", .is_higher_better = true, .by = statistic}};
    return judge_measured(at_least("busbw_bytes_per_s", 1000.0), cells, study).at(0).verdict;
  };

  CHECK(judge_by(TrialStatistic::kP50) == TargetVerdict::kMet);
  CHECK(judge_by(TrialStatistic::kMean) == TargetVerdict::kUndecided);
}

TEST_CASE("what has an interval and no test says so among several cells", "[analysis]") {
  Study study;
  study.analysis.metrics = {{.metric = "computation_share", .is_higher_better = false}};
  auto cells = cells_with({1.0, 1.0});
  for (CellObservation& cell : cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.metrics["forward_time_s"] = {.steps = 100, .mean = 0.2};
      trial.metrics["backward_time_s"] = {.steps = 100, .mean = 0.4};
    }
  }

  const auto rows = judge_measured(at_most("computation_share", 0.1), cells, study);

  REQUIRE(rows.size() == 3);
  CHECK(rows[1].verdict == TargetVerdict::kUndecided);
  CHECK_THAT(rows[1].finding, Catch::Contains("(missed by its interval alone, but it has no test"));
}

namespace {

// CPU time of judging a target over so many cells without trials, of which nothing is tested.
double judging_s(std::int64_t count) {
  std::vector<CellObservation> cells;
  Results results;
  for (std::int64_t id = 1; id <= count; ++id) {
    cells.push_back(observe_cell(make_cell(id, 2, 64), {}));
    for (int other = 0; other < 20; ++other) {
      EstimateRow& row = results.estimates.emplace_back();
      row.cell_id = id;
      row.metric = other == 19 ? kStepTime : "another_time_s";
      row.statistic = Statistic::kMean;
      row.value = 0.1;
      row.lo = 0.09;
      row.hi = 0.11;
    }
  }
  Target target = at_most("step_time_s", 0.2);
  // With a condition, most of the time goes into the defaults of the cells' made-up hashes.
  target.where.clear();
  const std::clock_t begin = std::clock();
  CHECK(judge_target(target, results, cells).at(0).verdict == TargetVerdict::kUndecided);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

// Four times the cells take four times as long, 16 times if each were looked for among all.
TEST_CASE("a target over thousands of cells is judged at once", "[analysis]") {
  const double few_s = std::min(judging_s(1'500), judging_s(1'500));

  CHECK(std::min(judging_s(6'000), judging_s(6'000)) < 9.0 * few_s);
}
