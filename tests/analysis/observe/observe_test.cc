// What analysis takes for the time of a step, from stored trials to results.
#include "harness/analysis/observe/observe.h"

#include <algorithm>
#include <ctime>

#include "harness/analysis/analyse.h"
#include "harness/analysis/observe/observe_machine.h"
#include "harness/study/parse.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::has_numbers;
using test::numbers_in;

namespace {

constexpr const char* kText =
    "version: 1\nstudy: by-hand\ntitle: T\nworkload: train\n"
    "axes: {devices: [1, 2], batch_global: [64]}\nsteps: {warmup: 1, measured: 4}\n"
    "trials: {count: 3}\ncost: {per_device_hour: 3.60, currency: USD}\n";

Study make_study() {
  const ParsedStudy parsed = parse_study(kText, "by-hand.yaml", {});
  REQUIRE(parsed.problems.empty());
  return parsed.study;
}

CellRow make_cell(const std::string& hash, std::int64_t devices) {
  CellRow cell;
  cell.hash = hash;
  cell.label = "devices=" + std::to_string(devices);
  cell.devices = devices;
  cell.batch_global = 64;
  cell.batch_per_device = 64 / devices;
  cell.baseline = "one";
  cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true}};
  return cell;
}

SeriesRow series_of(const std::string& metric,
                    const std::vector<double>& measured,
                    std::optional<int> rank = std::nullopt) {
  std::vector<double> values{99.0};  // warm-up
  values.insert(values.end(), measured.begin(), measured.end());
  return {.metric = metric,
          .unit = metric == "model_flop_utilization" ? "1" : "s",
          .rank = rank,
          .warmup_n = 1,
          .values = values};
}

// Two ranks, slow in turn, of which the second takes `extra_s` longer in its last step: 10 and 20
// ms of forward, a fifth of which is exposed communication; 5 ms of a step would be the peak.
std::vector<SeriesRow> slow_in_turn(double extra_s) {
  const std::vector<std::vector<double>> steps = {{0.010, 0.020, 0.010, 0.020},
                                                  {0.020, 0.010, 0.020, 0.010 + extra_s}};
  const auto scaled = [](std::vector<double> values, double factor) {
    std::ranges::for_each(values, [factor](double& value) { value *= factor; });
    return values;
  };
  std::vector<SeriesRow> series;
  for (int rank = 0; rank < 2; ++rank) {
    series.push_back(series_of("step_time_s", steps[rank], rank));
    series.push_back(series_of("forward_time_s", scaled(steps[rank], 0.8), rank));
    series.push_back(series_of("exposed_communication_time_s", scaled(steps[rank], 0.2), rank));
    series.push_back(series_of("communication_time_s", scaled(steps[rank], 0.5), rank));
  }
  const std::vector<double> slowest(4, 0.020);
  series.push_back(series_of("step_time_s", slowest));
  series.push_back(series_of("forward_time_s", scaled(slowest, 0.8)));
  series.push_back(series_of("exposed_communication_time_s", scaled(slowest, 0.2)));
  series.push_back(series_of("communication_time_s", scaled(slowest, 0.5)));
  series.push_back(series_of("hidden_communication_time_s", scaled(slowest, 0.3)));
  series.push_back(series_of("model_flop_utilization", std::vector<double>(4, 0.25)));
  return series;
}

enum class Age { kOld, kNew };

// One device takes 24 ms a step; two take 15.5 ms by their window, 20 ms by their slowest ranks.
test::StoredStudy run_by_hand(Age age) {
  test::StoredStudy stored(Scaling::kStrong, {make_cell("one", 1), make_cell("two", 2)}, 3);
  for (std::int64_t block = 0; block < 3; ++block) {
    const double noise = 1.0 + 0.001 * static_cast<double>(block);
    test::Attempt one{.cell = "one", .block = block};
    one.series = {series_of("step_time_s", std::vector<double>(4, 0.024 * noise)),
                  series_of("step_time_s", std::vector<double>(4, 0.024 * noise), 0)};
    test::Attempt two{.cell = "two", .block = block, .series = slow_in_turn(0.002)};
    for (test::Attempt* attempt : {&one, &two}) {
      attempt->facts = {{"tail_bucket_bytes", 4.0, "bytes"}};
      if (age == Age::kNew) {
        attempt->series.push_back({.metric = "window_time_s",
                                   .unit = "s",
                                   .rank = std::nullopt,
                                   .warmup_n = 0,
                                   .values = {attempt == &one ? 0.096 * noise : 0.062}});
      }
    }
    stored.finish(one);
    stored.finish(two);
  }
  return stored;
}

const EstimateRow& find(const Results& results,
                        std::int64_t cell_id,
                        const std::string& metric,
                        Statistic statistic = Statistic::kMean) {
  const auto found = std::ranges::find_if(results.estimates, [&](const EstimateRow& row) {
    return row.cell_id == cell_id && row.metric == metric && row.statistic == statistic &&
           row.variant == Variant::kAll;
  });
  INFO(metric << " " << to_word(statistic));
  REQUIRE(found != results.estimates.end());
  return *found;
}

}  // namespace

TEST_CASE("what is reported of several ranks follows from their window, in old trials as well",
          "[analysis]") {
  for (const Age age : {Age::kOld, Age::kNew}) {
    const test::StoredStudy stored = run_by_hand(age);
    const Results results = analyse(stored.store(), stored.study_id(), make_study());
    const std::int64_t two = stored.cell_id("two");

    CHECK(results.analysis_version == 24);
    CHECK(find(results, two, "step_time_s").value == Approx(0.0155));
    CHECK(find(results, two, "step_time_s").definition == StepTimeDefinition::kWindow);
    CHECK(find(results, two, "throughput").value == Approx(64.0 / 0.0155));
    CHECK(find(results, two, "throughput").definition == StepTimeDefinition::kWindow);
    // 2 devices x 1 mUSD a second, 15,625 steps of 64 samples.
    CHECK(find(results, two, "cost_per_million_samples").value == Approx(0.0155 * 15.625 * 2.0));
    CHECK(find(results, two, "model_flop_utilization").value == Approx(0.005 / 0.0155));
    const auto speedup = std::ranges::find_if(results.comparisons, [&](const ComparisonRow& row) {
      return row.quantity == "speedup" && row.cell_id == two;
    });
    REQUIRE(speedup != results.comparisons.end());
    CHECK(speedup->value == Approx(0.024 / 0.0155).epsilon(0.002));
  }
}

TEST_CASE("quantiles stay those of single steps on their slowest rank", "[analysis]") {
  const test::StoredStudy stored = run_by_hand(Age::kNew);
  const Study study = make_study();

  const StudyObservation observation = observe(stored.store(), stored.study_id(), study);

  const TrialMetric& step = observation.find_cell("two")->trials.at(0).metrics.at("step_time_s");
  CHECK(step.p50 == 0.020);
  CHECK(step.mean == Approx(0.0155));
  CHECK(step.steps == 4);
  const Results results = analyse(stored.store(), stored.study_id(), study);
  CHECK_FALSE(
      find(results, stored.cell_id("two"), "step_time_s", Statistic::kP50).definition.has_value());
}

TEST_CASE("the parts of a step are those of the rank whose steps are the window", "[analysis]") {
  const test::StoredStudy stored = run_by_hand(Age::kOld);
  const Results results = analyse(stored.store(), stored.study_id(), make_study());
  const std::int64_t two = stored.cell_id("two");

  CHECK(find(results, two, "forward_time_s").value == Approx(0.8 * 0.0155));
  CHECK(find(results, two, "exposed_communication_time_s").value == Approx(0.2 * 0.0155));
  CHECK(find(results, two, "exposed_communication_share").value == Approx(0.2));
  CHECK(find(results, two, "communication_time_s").value == Approx(0.5 * 0.0155));
  CHECK(find(results, two, "overlap_efficiency").value == Approx(0.6));
}

TEST_CASE("trials whose step times are not the same thing are told apart", "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {make_cell("one", 1)}, 2);
  for (std::int64_t block = 0; block < 2; ++block) {
    test::Attempt attempt{.cell = "one", .block = block};
    attempt.series = {series_of("step_time_s", std::vector<double>(4, 0.024))};
    if (block == 0) {
      attempt.series.push_back({"window_time_s", "s", std::nullopt, 0, {0.1}});
    }
    stored.finish(attempt);
  }
  const Results results = analyse(stored.store(), stored.study_id(), make_study());

  CHECK(find(results, stored.cell_id("one"), "step_time_s").definition ==
        StepTimeDefinition::kMixed);
  const auto threat =
      std::ranges::find(results.threats, ThreatKind::kDefinitions, &ThreatRow::kind);
  REQUIRE(threat != results.threats.end());
  CHECK(numbers_in(threat->finding) == test::Numbers{1.0, 1.0});  // trials of either definition
}

TEST_CASE("a trial that says it never got steady reaches the threats", "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {make_cell("one", 1)}, 2);
  for (std::int64_t block = 0; block < 2; ++block) {
    test::Attempt attempt{.cell = "one", .block = block};
    // Of different lengths, as floors in time make them.
    attempt.series = {
        series_of("step_time_s", std::vector<double>(static_cast<std::size_t>(4 + block), 0.024))};
    attempt.facts = {{"is_steady", block == 0 ? 0.0 : 1.0, ""}};
    stored.finish(attempt);
  }

  const Results results = analyse(stored.store(), stored.study_id(), make_study());

  const auto threat = std::ranges::find(results.threats, ThreatKind::kUnsteady, &ThreatRow::kind);
  REQUIRE(threat != results.threats.end());
  CHECK(has_numbers(threat->finding, {1, 2}));
  CHECK(find(results, stored.cell_id("one"), "step_time_s").value == Approx(0.024));
}

TEST_CASE("of a command the time of a step is the mean of its step times", "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {make_cell("two", 2)}, 1);
  test::Attempt attempt{.cell = "two", .block = 0, .series = slow_in_turn(0.0)};
  stored.finish(attempt);
  Study study = make_study();
  study.workload = Workload::kCommand;

  const Results results = analyse(stored.store(), stored.study_id(), study);

  CHECK(find(results, stored.cell_id("two"), "step_time_s").value == Approx(0.020));
  CHECK(find(results, stored.cell_id("two"), "step_time_s").definition ==
        StepTimeDefinition::kSteps);
}

TEST_CASE("trials of thousands of cells are placed at once", "[analysis]") {
  constexpr std::int64_t count = 20'000;
  StudyObservation observation;
  std::vector<TrialRow> trials;
  std::map<std::int64_t, StepTime> times;
  for (std::int64_t id = 1; id <= count; ++id) {
    observation.cells.emplace_back().row.id = id;
    for (std::int64_t block = 0; block < 2; ++block) {
      TrialRow& trial = trials.emplace_back();
      trial.id = 2 * id + block;
      trial.cell_id = id;
      trial.block = block;
      trial.state = TrialState::kOk;
      trial.disturbance = id == count ? Disturbance::kThrottled : Disturbance::kNone;
      times[trial.id].mean_s = 0.5;
    }
  }

  const std::clock_t begin = std::clock();
  place_as_met(trials, times, observation);

  CHECK(static_cast<double>(std::clock() - begin) < 2.0 * CLOCKS_PER_SEC);  // of CPU time
  CHECK(observation.cells.front().as_met.empty());
  CHECK(observation.cells.back().as_met.size() == 2);
}
