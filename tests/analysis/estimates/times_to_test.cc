// Times to a declared accuracy, from stored trials to results, by hand.
#include "harness/analysis/estimates/times_to.h"

#include <algorithm>
#include <tuple>

#include "harness/analysis/analyse.h"
#include "harness/study/parse.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"
#include "workloads/names/names.h"

using namespace scalestudy;

namespace {

constexpr const char* kWithGoal =
    "version: 1\nstudy: by-hand\ntitle: T\nworkload: train\n"
    "parameters: {batch_global: 64, train_samples: 128, held_out_samples: 64, epochs: 3, "
    "evaluate: epochs}\n"
    "axes: {devices: [1, 2]}\nsteps: {warmup: 1, measured: rest}\ntrials: {count: 5}\n"
    "analysis: {baseline: {devices: 1}, time_to: [{metric: accuracy, at_least: 80%}]}\n";

const std::string kTime = "time_to:accuracy:0.8";
const std::string kReached = "reached:accuracy:0.8";

Study study_with_goal() {
  const ParsedStudy parsed = parse_study(kWithGoal, "by-hand.yaml", {});
  for (const Problem& problem : parsed.problems) {
    FAIL(problem.message);
  }
  return parsed.study;
}

CellRow learning_cell(const std::string& hash, std::int64_t devices) {
  CellRow cell;
  cell.hash = hash;
  cell.label = "devices=" + std::to_string(devices);
  cell.devices = devices;
  cell.batch_global = 64;
  cell.batch_per_device = 64 / devices;
  cell.baseline = "one";
  cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true},
                     {"train_samples", "128", ValueKind::kInteger, false},
                     {"vary_seed", "true", ValueKind::kFlag, false}};
  return cell;
}

// Six steps of that length, three epochs of two steps, with these accuracies.
test::Attempt trained(const std::string& cell,
                      std::int64_t block,
                      double step_s,
                      const std::vector<double>& accuracies) {
  const SeriesRow epochs{.metric = "epoch_accuracy",
                         .unit = "1",
                         .rank = std::nullopt,
                         .warmup_n = 0,
                         .values = accuracies};
  return {.cell = cell,
          .block = block,
          .series = {test::step_times(std::vector<double>(6, step_s), 1), epochs}};
}

const EstimateRow& row_of(const std::vector<EstimateRow>& rows,
                          std::int64_t cell,
                          const std::string& metric) {
  const auto found = std::ranges::find_if(
      rows, [&](const EstimateRow& row) { return row.cell_id == cell && row.metric == metric; });
  REQUIRE(found != rows.end());
  return *found;
}

const ComparisonRow* find_comparison(const Results& results) {
  const auto found = std::ranges::find(results.comparisons, kTime, &ComparisonRow::quantity);
  return found == results.comparisons.end() ? nullptr : &*found;
}

// One device: 1.0 to 1.4 s a step, 80 % after the second epoch of two steps in four of five trials:
// 4.0, 4.4, 4.8, 5.2 s; the fifth ends after 8.4 s without it. Two devices: 0.5 to 0.9 s a step,
// after the first epoch: 1.0, 1.2, 1.4, 1.6, 1.8 s.
test::StoredStudy five_each() {
  test::StoredStudy study(Scaling::kStrong, {learning_cell("one", 1), learning_cell("two", 2)}, 5);
  for (int i = 0; i < 5; ++i) {
    const bool is_reached = i < 4;
    study.finish(trained("one", i, 1.0 + 0.1 * i, {0.5, is_reached ? 0.8 : 0.7, 0.7}));
    study.finish(trained("two", i, 0.5 + 0.1 * i, {0.85, 0.9, 0.9}));
  }
  return study;
}

}  // namespace

TEST_CASE("the time to an accuracy ends with the first epoch that has it", "[analysis]") {
  test::StoredStudy study = five_each();

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  const EstimateRow& one = row_of(results.estimates, study.cell_id("one"), kTime);
  CHECK(one.statistic == Statistic::kMedian);
  CHECK(one.unit == "s");
  CHECK(one.method == "kaplan_meier");
  // Of five, one half is reached by the third.
  CHECK(*one.value == Approx(4.8));
  CHECK(*one.lo == Approx(4.0));
  CHECK_FALSE(one.hi.has_value());
  CHECK(one.n == 5);
  CHECK(one.status == RowStatus::kOk);
  CHECK(*row_of(results.estimates, study.cell_id("two"), kTime).value == Approx(1.4));
}

TEST_CASE("a cell without a claim is no member of the family", "[analysis]") {
  CellRow four = learning_cell("four", 4);
  four.oversubscribed = true;
  test::StoredStudy study(
      Scaling::kStrong, {learning_cell("one", 1), learning_cell("two", 2), four}, 5);
  for (int i = 0; i < 5; ++i) {
    study.finish(trained("one", i, 1.0 + 0.1 * i, {0.5, 0.8, 0.8}));
    study.finish(trained("two", i, 0.5 + 0.1 * i, {0.85, 0.9, 0.9}));
    study.finish(trained("four", i, 0.5 + 0.1 * i, {0.85, 0.9, 0.9}));
  }
  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  for (const ComparisonRow& row : results.comparisons) {
    if (row.quantity == kTime && row.cell_id == study.cell_id("two")) {
      CHECK(row.p_adjusted == row.p_value);
      CHECK(row.family_size == 1);
      CHECK(row.verdict == Verdict::kFaster);  // 5 against 5 give 0.0079 at best
    } else if (row.quantity == kTime) {
      CHECK(row.verdict == Verdict::kNoClaim);
      CHECK_FALSE(row.p_adjusted);
      CHECK_FALSE(row.alpha_star);
      CHECK_THAT(row.finding, !Catch::Contains("p ="));
    }
  }
}

// Clopper & Pearson 1934 for 4 of 5: 0.2836 to 0.9949.
TEST_CASE("a trial that never reaches the accuracy counts in the share", "[analysis]") {
  test::StoredStudy study = five_each();

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  const EstimateRow& share = row_of(results.estimates, study.cell_id("one"), kReached);
  CHECK(*share.value == Approx(0.8));
  CHECK(*share.lo == Approx(0.2836).margin(5e-5));
  CHECK(*share.hi == Approx(0.9949).margin(5e-5));
  CHECK(share.n == 5);
}

TEST_CASE("what most trials never reach has no median but a lower bound", "[analysis]") {
  test::StoredStudy study(Scaling::kStrong, {learning_cell("one", 1)}, 5);
  for (int i = 0; i < 5; ++i) {
    study.finish(trained("one", i, 1.0 + 0.1 * i, {0.5, 0.6, i < 2 ? 0.8 : 0.7}));
  }

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  const EstimateRow& row = row_of(results.estimates, study.cell_id("one"), kTime);
  CHECK(row.status == RowStatus::kNotReached);
  CHECK_FALSE(row.value.has_value());
  CHECK(*row.lo == Approx(6.0));
  CHECK(find_comparison(results) == nullptr);
}

// The last one, which also trains longest, reaches it after 8.4 s: the curve falls from 1 to 0.
TEST_CASE("what one trial of five reaches has no median", "[analysis]") {
  test::StoredStudy study(Scaling::kStrong, {learning_cell("one", 1)}, 5);
  for (int i = 0; i < 5; ++i) {
    study.finish(trained("one", i, 1.0 + 0.1 * i, {0.5, 0.6, i == 4 ? 0.8 : 0.7}));
  }

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  const EstimateRow& row = row_of(results.estimates, study.cell_id("one"), kTime);
  CHECK(row.status == RowStatus::kNotReached);
  CHECK_FALSE(row.value.has_value());
  CHECK_FALSE(row.hi.has_value());
}

TEST_CASE("trials of one seed give no verdict on when a value is reached", "[analysis]") {
  CellRow one = learning_cell("one", 1);
  CellRow two = learning_cell("two", 2);
  for (CellRow* cell : {&one, &two}) {
    cell->parameters.pop_back();  // vary_seed
  }
  test::StoredStudy study(Scaling::kStrong, {one, two}, 5);
  for (int i = 0; i < 5; ++i) {
    study.finish(trained("one", i, 1.0 + 0.1 * i, {0.5, 0.8, 0.8}));
    study.finish(trained("two", i, 0.5 + 0.1 * i, {0.85, 0.9, 0.9}));
  }

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  const ComparisonRow* row = find_comparison(results);
  REQUIRE(row != nullptr);
  CHECK_FALSE(row->p_value.has_value());
  CHECK(row->verdict == Verdict::kNotEnoughData);
  CHECK(row->remark == "all trials have one seed; vary_seed: true gives each block its own");
  const EstimateRow& share = row_of(results.estimates, study.cell_id("two"), kReached);
  CHECK(*share.value == 1.0);
  CHECK_FALSE(share.lo.has_value());
}

// All of the one before all of the other: 2 of 252 divisions.
TEST_CASE("times to an accuracy are compared by the log-rank test", "[analysis]") {
  test::StoredStudy study = five_each();

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  const ComparisonRow* row = find_comparison(results);
  REQUIRE(row != nullptr);
  CHECK(row->cell_id == study.cell_id("two"));
  CHECK(*row->value == Approx(4.8 / 1.4));
  CHECK_FALSE(row->lo.has_value());
  CHECK(*row->p_value == Approx(2.0 / 252.0));
  CHECK(*row->p_adjusted == Approx(2.0 / 252.0));
  CHECK(row->method == RatioMethod::kLogRank);
  CHECK(row->verdict == Verdict::kFaster);
  CHECK(row->finding ==
        "2 devices: 3.43x as fast as 1 device to accuracy 80 % (5 against 5 trials, p = 0.0079): "
        "faster");
  CHECK(row->remark.empty());
}

// 3 against 3: no p below 2/20.
TEST_CASE("three trials a side are not enough data for a verdict", "[analysis]") {
  test::StoredStudy study(Scaling::kStrong, {learning_cell("one", 1), learning_cell("two", 2)}, 3);
  for (int i = 0; i < 3; ++i) {
    study.finish(trained("one", i, 1.0 + 0.1 * i, {0.5, 0.8, 0.8}));
    study.finish(trained("two", i, 0.5 + 0.1 * i, {0.8, 0.9, 0.9}));
  }

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  const ComparisonRow* row = find_comparison(results);
  REQUIRE(row != nullptr);
  CHECK(*row->p_value == Approx(0.1));
  CHECK(row->verdict == Verdict::kNotEnoughData);
  CHECK(row->remark == "3 against 3 trials cannot show a difference");
  const EstimateRow& one = row_of(results.estimates, study.cell_id("one"), kTime);
  CHECK(one.status == RowStatus::kUnattainable);
  CHECK_FALSE(one.lo.has_value());
}

// The slowest of two ranks takes 1.5 s at each step, each rank 1.2 s on average.
TEST_CASE("the time to an accuracy is that of the ranks, not of the slowest at each step",
          "[analysis]") {
  test::StoredStudy study(Scaling::kStrong, {learning_cell("one", 1)}, 1);
  test::Attempt attempt = trained("one", 0, 1.5, {0.5, 0.8, 0.8});
  attempt.series.push_back({.metric = "window_time_s",
                            .unit = "s",
                            .rank = std::nullopt,
                            .warmup_n = 0,
                            .values = {5 * 1.2}});
  study.finish(attempt);

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  CHECK(*row_of(results.estimates, study.cell_id("one"), kTime).value == Approx(4 * 1.2));
}

TEST_CASE("values of neither steps nor epochs tell no time", "[analysis]") {
  test::StoredStudy study(Scaling::kStrong, {learning_cell("one", 1)}, 1);
  study.finish(trained("one", 0, 1.0, {0.5, 0.6, 0.7, 0.8}));  // of a fourth epoch without steps

  const Results results = analyse(study.store(), study.study_id(), study_with_goal());

  CHECK(std::ranges::none_of(results.estimates,
                             [](const EstimateRow& row) { return row.metric == kTime; }));
}

TEST_CASE("a line takes the time of all steps that its time covers", "[analysis]") {
  const ParsedStudy parsed = parse_study(
      "version: 1\nstudy: by-hand\ntitle: T\nworkload: command\ncommand: [train, '{devices}']\n"
      "parameters: {batch_global: 64}\naxes: {devices: [1, 2]}\n"
      "extract:\n"
      "  - {metric: step_time_s, unit: s/epoch, per_step: '{devices} * {batch_global} / 64000', "
      "regex: 'time (\\S+)'}\n"
      "  - {metric: accuracy, unit: '1', regex: 'accuracy (\\S+)'}\n"
      "steps: {warmup: 0, measured: rest}\ntrials: {count: 5}\n"
      "analysis: {baseline: {devices: 1}, time_to: [{metric: accuracy, at_least: 80%}]}\n",
      "by-hand.yaml",
      {});
  REQUIRE(parsed.problems.empty());
  // As the trial's lines were read, whatever the study's rule says now: times of an epoch of a
  // thousand steps or of ten iterations, or a line every tenth step.
  const auto [fact, steps, time_s] =
      GENERATE(std::tuple(std::string("steps_of_value"), 1000.0, 36.0),
               std::tuple(std::string("steps_of_value"), 10.0, 0.36),
               std::tuple(std::string("step_interval"), 10.0, 0.36));
  CAPTURE(fact, steps);
  CellRow cell = learning_cell("one", 1);
  std::erase_if(cell.parameters, [](const auto& one) { return one.name == names::kDevices; });
  test::StoredStudy study(Scaling::kStrong, {cell, learning_cell("two", 2)}, 5);
  for (int i = 0; i < 5; ++i) {
    const SeriesRow accuracies{.metric = "accuracy",
                               .unit = "1",
                               .rank = std::nullopt,
                               .warmup_n = 0,
                               .values = {0.5, 0.7, 0.85}};
    const std::vector<double> step_s(3, 0.010 + 0.001 * i);
    study.finish({.cell = "one",
                  .block = i,
                  .series = {test::step_times(step_s, 0), accuracies},
                  .facts = {{fact, steps, "1"}}});
  }

  const Results results = analyse(study.store(), study.study_id(), parsed.study);

  CHECK(*row_of(results.estimates, study.cell_id("one"), kTime).value == Approx(time_s));
}

// Each line has the time of one step of its epoch: 3.6 ms of a trial of 1.8 s.
TEST_CASE("lines whose times are next to nothing of their trial tell no time", "[analysis]") {
  const ParsedStudy parsed = parse_study(
      "version: 1\nstudy: by-hand\ntitle: T\nworkload: command\ncommand: [train, '{devices}']\n"
      "parameters: {batch_global: 64}\naxes: {devices: [1, 2]}\n"
      "extract:\n"
      "  - {metric: step_time_s, unit: ms, regex: 'time (\\S+)'}\n"
      "  - {metric: accuracy, unit: '1', regex: 'accuracy (\\S+)'}\n"
      "steps: {warmup: 0, measured: rest}\ntrials: {count: 5}\n"
      "analysis: {baseline: {devices: 1}, time_to: [{metric: accuracy, at_least: 80%}]}\n",
      "by-hand.yaml",
      {});
  REQUIRE(parsed.problems.empty());
  test::StoredStudy study(Scaling::kStrong, {learning_cell("one", 1), learning_cell("two", 2)}, 5);
  for (int i = 0; i < 5; ++i) {
    const SeriesRow accuracies{.metric = "accuracy",
                               .unit = "1",
                               .rank = std::nullopt,
                               .warmup_n = 0,
                               .values = {0.5, 0.7, 0.85}};
    study.finish({.cell = "one",
                  .block = i,
                  .series = {test::step_times({0.0012, 0.0011, 0.0013}, 0), accuracies}});
    study.finish({.cell = "two",
                  .block = i,
                  .series = {test::step_times({0.012, 0.011, 0.013}, 0), accuracies}});
  }

  const Results results = analyse(study.store(), study.study_id(), parsed.study);

  const auto has_time = [&](const char* cell) {
    return std::ranges::any_of(results.estimates, [&](const EstimateRow& row) {
      return row.cell_id == study.cell_id(cell) && row.metric == kTime && row.value;
    });
  };
  CHECK_FALSE(has_time("one"));
  CHECK(has_time("two"));
}
