// Statistics of a cell over its trials.
#include "harness/analysis/estimates/estimates.h"

#include <algorithm>

#include "tests/analysis/by_hand.h"
#include "tests/analysis/estimates/estimated.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::estimate;
using test::find_estimate;
using test::has;
using test::make_study;

namespace {

// Trial means of the oracle cell_throughput/cell_5x12 (11_report_quantities.json, R 4.2.2): batch
// 256 on 4 devices at 2.50 an hour.
const std::vector<double> kOracleTimes_s = {
    0.245157659333333, 0.257624020583333, 0.248065199666667, 0.251005087583333, 0.24563280025};

}  // namespace

TEST_CASE("step time, throughput and cost agree with the oracle cell", "[analysis]") {
  const auto rows = estimate(test::observe_cell(test::make_cell(7, 4, 256), kOracleTimes_s));

  const EstimateRow time = find_estimate(rows, "step_time_s");
  CHECK(*time.value == Approx(0.249496953483333).epsilon(1e-9));
  CHECK(*time.lo == Approx(0.243161583891892).epsilon(1e-9));
  CHECK(*time.hi == Approx(0.255832323074775).epsilon(1e-9));
  CHECK(time.method == "mean_ci_t");
  CHECK(time.unit == "s");
  CHECK(time.n == 5);
  CHECK(time.cell_id == 7);
  CHECK(time.status == RowStatus::kOk);

  const EstimateRow throughput = find_estimate(rows, "throughput");
  CHECK(*throughput.value == Approx(1026.06463295794).epsilon(1e-9));
  CHECK(*throughput.lo == Approx(1000.65541727961).epsilon(1e-9));
  CHECK(*throughput.hi == Approx(1052.79787992258).epsilon(1e-9));
  CHECK(*find_estimate(rows, "throughput_per_device").value ==
        Approx(256.516158239484).epsilon(1e-9));

  const EstimateRow cost = find_estimate(rows, "cost_per_million_samples");
  CHECK(*cost.value == Approx(2.70721520706742).epsilon(1e-9));
  CHECK(*cost.lo == Approx(2.63847204743806).epsilon(1e-9));
  CHECK(*cost.hi == Approx(2.77595836669677).epsilon(1e-9));
  CHECK(cost.unit == "EUR");
}

TEST_CASE("the spread of a rate is that of the trial rates", "[analysis]") {
  const auto rows = estimate(test::observe_cell(test::make_cell(1, 1, 100), {0.1, 0.2}));

  // Rates 1000 and 500: sd = 500 / sqrt 2.
  CHECK(*find_estimate(rows, "throughput").sd == Approx(353.5533905932738));
  // Cost is proportional to time: 2.5 / 3600 / 100 * 1e6 per second, sd of the times 0.1 / sqrt 2.
  CHECK(*find_estimate(rows, "cost_per_million_samples").sd ==
        Approx(2.5 / 3600.0 * 1e4 * 0.0707106781));
}

// The oracle cell's times as those of saves: the rates are its throughput, in bytes.
TEST_CASE("rates of checkpoints are bytes over the times of saves and loads", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(7, 4, 256), {1.0, 1.1, 1.2, 1.3, 1.4});
  CHECK_FALSE(has(estimate(cell), "checkpoint_save_bytes_per_s"));
  for (std::size_t i = 0; i < kOracleTimes_s.size(); ++i) {
    cell.trials[i].metrics["checkpoint_bytes"].mean = 256.0;
    cell.trials[i].metrics["checkpoint_save_time_s"].mean = kOracleTimes_s[i];
  }
  const auto rows = estimate(cell);

  const EstimateRow rate = find_estimate(rows, "checkpoint_save_bytes_per_s");
  CHECK(*rate.value == Approx(1026.06463295794).epsilon(1e-9));
  CHECK(*rate.lo == Approx(1000.65541727961).epsilon(1e-9));
  CHECK(*rate.hi == Approx(1052.79787992258).epsilon(1e-9));
  CHECK(rate.unit == "bytes/s");
  CHECK_FALSE(rate.definition);  // it follows from no step
  CHECK_FALSE(has(rows, "checkpoint_load_bytes_per_s"));
  // Of which a save writes half.
  for (auto& trial : cell.trials) {
    trial.metrics["checkpoint_written_bytes"].mean = 128.0;
    trial.metrics["checkpoint_load_time_s"].mean = 0.5;
  }
  const auto halved = estimate(cell);
  CHECK(*find_estimate(halved, "checkpoint_save_bytes_per_s").value ==
        Approx(0.5 * 1026.06463295794).epsilon(1e-9));
  CHECK(*find_estimate(halved, "checkpoint_load_bytes_per_s").value == Approx(512.0));
  CHECK(*find_estimate(rows, "throughput").value == Approx(256.0 / 1.2));
}

TEST_CASE("without a price there is no cost, without a batch no throughput", "[analysis]") {
  Study study = make_study();
  study.cost.reset();
  CHECK_FALSE(has(estimate(test::observe_cell(test::make_cell(1, 1, 8), {1.0, 2.0}), study),
                  "cost_per_million_samples"));

  CellRow cell = test::make_cell(1, 1, 8);
  cell.batch_global.reset();
  CHECK_FALSE(has(estimate(test::observe_cell(cell, {1.0, 2.0})), "throughput"));
}

TEST_CASE("a tail needs five steps beyond it in every trial", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3, 1.4});
  // Trial quantiles of the oracle tail_across_trials/p95_5x100 (R 4.2.2).
  const std::vector<double> p95 = {
      0.2325751834, 0.227580137, 0.2383013098, 0.23630575175, 0.2361436374};
  for (std::size_t i = 0; i < p95.size(); ++i) {
    cell.trials[i].metrics[kStepTime].p95 = p95[i];
  }
  for (TrialObservation& trial : cell.trials) {
    trial.metrics[kStepTime].steps = 250;  // 12.5 beyond the quantile, 2.5 for each of five trials
  }
  const auto rows = estimate(cell);

  const EstimateRow tail = find_estimate(rows, "step_time_s", Statistic::kP95);
  CHECK(*tail.value == Approx(0.23418120387).epsilon(1e-9));
  CHECK(*tail.lo == Approx(0.228931831325123).epsilon(1e-9));
  CHECK(*tail.hi == Approx(0.239430576414877).epsilon(1e-9));
  CHECK(tail.method == "tail_across_trials");

  const EstimateRow far_tail = find_estimate(rows, "step_time_s", Statistic::kP99);
  CHECK(far_tail.status == RowStatus::kUnattainable);
  CHECK_FALSE(far_tail.value.has_value());
  CHECK_FALSE(far_tail.lo.has_value());
  CHECK(far_tail.n == 5);

  cell.trials[2].metrics[kStepTime].steps = 99;
  CHECK_FALSE(find_estimate(estimate(cell), "step_time_s", Statistic::kP95).value.has_value());
}

TEST_CASE("a tail of few steps has a value and no interval", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3, 1.4});
  for (TrialObservation& trial : cell.trials) {
    trial.metrics[kStepTime].steps = 249;
  }
  const EstimateRow tail = find_estimate(estimate(cell), "step_time_s", Statistic::kP95);

  CHECK(*tail.value == Approx(1.2));
  CHECK(tail.status == RowStatus::kUnattainable);
  CHECK_FALSE(tail.lo.has_value());
  CHECK(find_estimate(estimate(cell), "step_time_s", Statistic::kP50).lo.has_value());
}

TEST_CASE("equal trials give an interval of no width that says so", "[analysis]") {
  const EstimateRow row = find_estimate(
      estimate(test::observe_cell(test::make_cell(1, 1, 8), {0.5, 0.5, 0.5})), "step_time_s");

  CHECK(row.status == RowStatus::kZeroVariance);
  CHECK(row.lo == 0.5);
  CHECK(row.hi == 0.5);
}

TEST_CASE("phases are means over trials and exposed communication also a share", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 2, 8), {1.0, 2.0});
  for (std::size_t i = 0; i < 2; ++i) {
    const double exposed_s = i == 0 ? 0.1 : 0.4;
    cell.trials[i].metrics["exposed_communication_time_s"] = {.steps = 100, .mean = exposed_s};
  }
  StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
  observation.units["exposed_communication_time_s"] = "s";
  const auto rows = estimate_cells(observation, make_study());

  CHECK(*find_estimate(rows, "exposed_communication_time_s").value == Approx(0.25));
  // Shares 0.1 / 1 and 0.4 / 2, averaged over trials; not 0.25 / 1.5.
  CHECK(*find_estimate(rows, "exposed_communication_share").value == Approx(0.15));
}

TEST_CASE("the shares of a step are of each trial, and add up where its parts do", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 2, 8), {1.0, 2.0});
  // By hand, in s, of the two trials: they add up to 1 and 2.
  const std::map<std::string, std::pair<double, double>> parts{
      {"forward_time_s", {0.2, 0.3}},
      {"backward_time_s", {0.4, 0.7}},
      {"exposed_communication_time_s", {0.2, 0.6}},
      {"optimizer_time_s", {0.1, 0.06}},
      {"data_time_s", {0.05, 0.24}},
      {"other_time_s", {0.05, 0.1}}};
  StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
  for (const auto& [metric, means] : parts) {
    observation.units[metric] = "s";
    auto& trials = observation.cells[0].trials;
    trials[0].metrics[metric] = {.steps = 100, .mean = means.first};
    trials[1].metrics[metric] = {.steps = 100, .mean = means.second};
  }
  const auto rows = estimate_cells(observation, make_study());

  CHECK(*find_estimate(rows, "computation_share").value == Approx((0.6 / 1.0 + 1.0 / 2.0) / 2.0));
  CHECK(*find_estimate(rows, "update_share").value == Approx((0.1 / 1.0 + 0.06 / 2.0) / 2.0));
  CHECK(*find_estimate(rows, "data_share").value == Approx((0.05 / 1.0 + 0.24 / 2.0) / 2.0));
  double sum = 0.0;
  for (const char* share : {"computation_share",
                            "exposed_communication_share",
                            "update_share",
                            "data_share",
                            "other_share"}) {
    CHECK(find_estimate(rows, share).lo);
    sum += *find_estimate(rows, share).value;
  }
  CHECK(sum == Approx(1.0));

  // A program that tells the forward pass alone has no share of computation.
  observation.cells[0].trials[0].metrics.erase("backward_time_s");
  observation.cells[0].trials[1].metrics.erase("backward_time_s");
  CHECK_FALSE(has(estimate_cells(observation, make_study()), "computation_share"));
}

TEST_CASE("overlap efficiency is the hidden share of communication inside each trial",
          "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 2, 8), {1.0, 2.0});
  cell.trials[0].metrics["communication_time_s"] = {.steps = 100, .mean = 0.2};
  cell.trials[1].metrics["communication_time_s"] = {.steps = 100, .mean = 0.8};
  StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);

  // A single bucket: the workload writes no hidden communication.
  for (const EstimateRow& row : estimate_cells(observation, make_study())) {
    CHECK(row.metric != "overlap_efficiency");
  }

  observation.cells[0].trials[0].metrics["hidden_communication_time_s"] = {.steps = 100,
                                                                           .mean = 0.1};
  observation.cells[0].trials[1].metrics["hidden_communication_time_s"] = {.steps = 100,
                                                                           .mean = 0.2};
  // 0.1 / 0.2 and 0.2 / 0.8, averaged over trials; not 0.3 / 1.
  CHECK(*find_estimate(estimate_cells(observation, make_study()), "overlap_efficiency").value ==
        Approx(0.375));
}

TEST_CASE("the last loss of each trial is kept, its mean over steps if it is asked for",
          "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {1.0, 2.0});
  cell.row.parameters.push_back({"vary_seed", "true", ValueKind::kFlag, false});
  cell.trials[0].metrics["loss"] = {.steps = 100, .mean = 9.0, .last = 0.5};
  cell.trials[1].metrics["loss"] = {.steps = 100, .mean = 9.0, .last = 0.7};
  StudyObservation observation = test::make_observation({cell}, Scaling::kStrong);
  observation.units["loss"] = "nat";
  const auto rows = estimate_cells(observation, make_study());

  CHECK(*find_estimate(rows, "loss_final").value == Approx(0.6));
  CHECK(find_estimate(rows, "loss_final").unit == "nat");
  CHECK_FALSE(has(rows, "loss"));

  Study study = make_study();
  study.analysis.metrics = {{.metric = "loss"}};  // its comparison is of these means
  CHECK(*find_estimate(estimate_cells(observation, study), "loss").value == Approx(9.0));
}

TEST_CASE("any metric of a command has its mean, median and tail", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {});
  cell.trials.resize(2);
  cell.trials[0].metrics["latency"] = {.steps = 100, .mean = 3.0, .p50 = 2.0, .p95 = 7.0};
  cell.trials[1].metrics["latency"] = {.steps = 100, .mean = 5.0, .p50 = 4.0, .p95 = 9.0};
  StudyObservation observation = test::make_observation({cell}, Scaling::kNone);
  observation.units = {{"latency", "ms"}};
  Study study = make_study();
  study.workload = Workload::kCommand;
  const auto rows = estimate_cells(observation, study);

  CHECK(*find_estimate(rows, "latency").value == Approx(4.0));
  CHECK(*find_estimate(rows, "latency", Statistic::kP50).value == Approx(3.0));
  CHECK(*find_estimate(rows, "latency", Statistic::kP95).value == Approx(8.0));
  CHECK(find_estimate(rows, "latency").unit == "ms");
  CHECK_FALSE(has(rows, "step_time_s"));
}

TEST_CASE("a median of few steps has a value if cells are compared by it", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 8), {});
  cell.trials.resize(2);
  cell.trials[0].metrics["latency"] = {.steps = 8, .mean = 3.0, .p50 = 2.0, .p95 = 7.0};
  cell.trials[1].metrics["latency"] = {.steps = 8, .mean = 5.0, .p50 = 4.0, .p95 = 9.0};
  StudyObservation observation = test::make_observation({cell}, Scaling::kNone);
  observation.units = {{"latency", "ms"}};
  Study study = make_study();
  study.workload = Workload::kCommand;
  const auto median = [&] {
    return find_estimate(estimate_cells(observation, study), "latency", Statistic::kP50);
  };
  CHECK_FALSE(median().value.has_value());

  study.analysis.metrics = {{.metric = "latency", .by = TrialStatistic::kP50}};
  CHECK(*median().value == Approx(3.0));
  CHECK_FALSE(median().lo.has_value());
  CHECK(median().status == RowStatus::kUnattainable);
  CHECK_FALSE(find_estimate(estimate_cells(observation, study), "latency", Statistic::kP95)
                  .value.has_value());
}

TEST_CASE("bandwidths of a collective follow from its mean time", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 2, 64), {0.9, 1.0, 1.1});
  cell.row.batch_global.reset();
  cell.total_bytes = 1000.0;
  cell.busbw_factor = 1.5;

  const auto rows = estimate(cell);

  const EstimateRow time = find_estimate(rows, "step_time_s");
  const EstimateRow algbw = find_estimate(rows, "algbw_bytes_per_s");
  const EstimateRow busbw = find_estimate(rows, "busbw_bytes_per_s");
  CHECK(*algbw.value == Approx(1000.0));
  CHECK(*algbw.lo == Approx(1000.0 / *time.hi));
  CHECK(*algbw.hi == Approx(1000.0 / *time.lo));
  CHECK(algbw.unit == "bytes/s");
  CHECK(*busbw.value == Approx(1500.0));
  CHECK_FALSE(has(rows, "throughput"));
}

TEST_CASE("a bandwidth that a study asks for by its median has it beside the mean", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 2, 64), {0.9, 1.1});
  cell.total_bytes = 1000.0;
  cell.busbw_factor = 1.0;
  for (TrialObservation& trial : cell.trials) {
    const double rate = 1000.0 / trial.metrics.at("step_time_s").mean;
    trial.metrics["busbw_bytes_per_s"] = {.steps = 100, .mean = 1.2 * rate, .p50 = 1.1 * rate};
  }
  StudyObservation observation = test::make_observation({cell}, Scaling::kNone);
  observation.units["busbw_bytes_per_s"] = "bytes/s";
  Study study = make_study();
  study.workload = Workload::kCollective;
  study.analysis.metrics = {
      {.metric = "busbw_bytes_per_s", .is_higher_better = true, .by = TrialStatistic::kP50}};
  const auto rows = estimate_cells(observation, study);

  CHECK(*find_estimate(rows, "busbw_bytes_per_s").value == Approx(1000.0));
  CHECK(*find_estimate(rows, "busbw_bytes_per_s", Statistic::kP50).value ==
        Approx(0.5 * (1100.0 / 0.9 + 1100.0 / 1.1)));
}

TEST_CASE("a workload that names no size has no bandwidth", "[analysis]") {
  CHECK_FALSE(has(estimate(test::observe_cell(test::make_cell(1, 2, 64), {0.9, 1.0, 1.1})),
                  "busbw_bytes_per_s"));
}

TEST_CASE("the mean accuracy of seeds that five sessions ran is that over the seeds",
          "[analysis]") {
  const auto accuracy_of = [](std::int64_t sessions, const std::string& vary_seed = "true") {
    StudyObservation observation = test::make_observation(
        {test::learn_cell(
            test::make_cell(1, 1, 8), sessions, {0.80, 0.82, 0.79, 0.81, 0.83}, vary_seed)},
        Scaling::kStrong);
    observation.units["accuracy"] = "1";
    return estimate_cells(observation, make_study());
  };
  const EstimateRow merged = find_estimate(accuracy_of(5), "accuracy");

  CHECK(merged.n == 5);
  CHECK(merged.method == "mean_ci_t");
  CHECK(*merged.value == Approx(0.81));
  CHECK(merged.lo == find_estimate(accuracy_of(1), "accuracy").lo);
  CHECK(*merged.lo < 0.80);
  // Times are each session's own.
  CHECK(find_estimate(accuracy_of(5), kStepTime).n == 25);
  // Of one seed it is one value.
  const EstimateRow one = find_estimate(accuracy_of(5, "false"), "accuracy");
  CHECK(one.n == 1);
  CHECK(*one.value == 0.80);
  CHECK_FALSE(one.lo.has_value());
}
