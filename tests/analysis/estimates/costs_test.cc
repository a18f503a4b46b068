// Money, time and energy from declared prices, by hand.
#include "harness/analysis/estimates/costs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/analysis/by_hand.h"
#include "tests/analysis/found_rows.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::find_metric;

namespace {

// 2 devices that take 0.1 s [0.09, 0.12] for a step of 256 samples.
CellObservation two_devices() {
  return test::observe_cell(test::make_cell(2, 2, 256), {0.09, 0.1, 0.11});
}

EstimateRow a_step() {
  EstimateRow row;
  row.cell_id = 2;
  row.metric = kStepTime;
  row.unit = "s";
  row.value = 0.1;
  row.lo = 0.09;
  row.hi = 0.12;
  row.sd = 0.01;
  row.method = "mean_ci_t";
  row.n = 3;
  row.status = RowStatus::kOk;
  return row;
}

Study priced() {
  Study study;
  study.cost = Cost{.price = {.per_device_hour = 3.0}};
  study.cost->others = {{.name = "whole node", .per_node_hour = 9.0}};
  study.cost->energy =
      EnergyUse{.watts_per_device = 500.0, .per_kwh = 0.3, .kg_co2_per_kwh = 0.4, .pue = 1.2};
  study.cost->train = Training{.samples = 256.0 * 36000.0};  // 3600 s at 0.1 s a step
  study.cost->lines = {{.name = "storage", .per_hour = 0.5, .per_training = 7.0}};
  return study;
}

TEST_CASE("costs are those of the step's time, ends of its interval included", "[analysis]") {
  const auto rows = cost_estimates(a_step(), two_devices(), priced());

  // 6 USD an hour for 2560 samples a second: 6 / 3600 * 1e6 / 2560.
  const EstimateRow cost = find_metric(rows, "cost_per_million_samples");
  CHECK(*cost.value == Approx(0.651041667));
  CHECK(*cost.lo == Approx(0.651041667 * 0.9));
  CHECK(*cost.hi == Approx(0.651041667 * 1.2));
  CHECK(*cost.sd == Approx(0.0651041667));
  CHECK(cost.unit == "USD");
  CHECK(cost.provenance == Provenance::kMeasured);
  // One node at 9 USD.
  CHECK(*find_metric(rows, "cost_per_million_samples:whole node").value == Approx(0.9765625));
}

TEST_CASE("a training takes its steps, and costs machines and lines", "[analysis]") {
  const auto rows = cost_estimates(a_step(), two_devices(), priced());

  CHECK(*find_metric(rows, "training_hours").value == Approx(1.0));
  CHECK(*find_metric(rows, "training_hours").hi == Approx(1.2));
  CHECK(*find_metric(rows, "training_device_hours").value == Approx(2.0));
  CHECK(*find_metric(rows, "training_device_hours").hi == Approx(2.4));
  CHECK(*find_metric(rows, "training_cost").value == Approx(6.0 + 0.5 + 7.0));
  CHECK(*find_metric(rows, "training_cost").hi == Approx(1.2 * 6.5 + 7.0));
  CHECK(*find_metric(rows, "training_cost:whole node").value == Approx(9.0 + 0.5 + 7.0));
  CHECK(*find_metric(rows, "training_machine_cost").value == Approx(6.0));
  CHECK(*find_metric(rows, "training_machine_cost:whole node").value == Approx(9.0));
  CHECK(*find_metric(rows, "training_line_cost:storage").value == Approx(0.5 + 7.0));
  // 16.5 USD instead of 13.5; of a longer training more, as the 7 USD weigh less.
  const EstimateRow saving = find_metric(rows, "training_saving:whole node");
  CHECK(*saving.value == Approx(1.0 - 16.5 / 13.5));
  CHECK(*saving.lo == Approx(1.0 - (1.2 * 9.5 + 7.0) / (1.2 * 6.5 + 7.0)));
  CHECK(*saving.hi == Approx(1.0 - (0.9 * 9.5 + 7.0) / (0.9 * 6.5 + 7.0)));
}

// Without lines the saving is the same for every time, but for the last digit of its ends.
TEST_CASE("the ends of a constant saving are in order", "[analysis]") {
  Study study = priced();
  study.cost = Cost{.price = {.per_device_hour = 1.0}};
  study.cost->others = {{.name = "spot", .per_device_hour = 0.37}};
  study.cost->train = Training{.samples = 1e10};
  int out_of_order = 0;
  for (int i = 1; i <= 5000; ++i) {
    EstimateRow time = a_step();
    time.value = 0.001 * i;
    time.lo = 0.0007 * i;
    time.hi = 0.0016 * i;
    const auto rows = cost_estimates(time, two_devices(), study);
    const EstimateRow saving = find_metric(rows, "training_saving:spot");
    CHECK(*saving.value == Approx(0.63));
    out_of_order += *saving.lo <= *saving.hi ? 0 : 1;
  }
  CHECK(out_of_order == 0);
}

// 50000 samples in steps of 256 are 195.3125 steps of 0.1 s.
TEST_CASE("tokens of a sample are those that trials tell, or that the study declares",
          "[analysis]") {
  Study study = priced();
  study.cost->train = Training{.tokens = 256.0 * 2048.0 * 36000.0};
  CellObservation cell = two_devices();
  const auto has_hours = [&] {
    const auto rows = cost_estimates(a_step(), cell, study);
    return std::ranges::find(rows, "training_hours", &EstimateRow::metric) != rows.end();
  };
  CHECK_FALSE(has_hours());

  cell.row.parameters.push_back({"sequence_length", "2048", ValueKind::kInteger, false});
  REQUIRE(has_hours());  // 36000 steps of 0.1 s
  CHECK(*find_metric(cost_estimates(a_step(), cell, study), "training_hours").value == Approx(1.0));
  for (TrialObservation& trial : cell.trials) {
    trial.metrics["tokens_per_second"].mean = 5e6;  // printed as well
  }
  REQUIRE(has_hours());
  for (TrialObservation& trial : cell.trials) {
    trial.metrics["tokens_per_sample"].mean = 1024.0;
  }
  CHECK(*find_metric(cost_estimates(a_step(), cell, study), "training_hours").value == Approx(2.0));
}

TEST_CASE("a pass over the declared samples takes their steps", "[analysis]") {
  Study study = priced();
  study.cost->train = Training{.samples = 10 * 50000.0, .samples_per_epoch = 50000.0};
  const auto rows = cost_estimates(a_step(), two_devices(), study);

  const EstimateRow epoch = find_metric(rows, "epoch_time_s");
  CHECK(*epoch.value == Approx(19.53125));
  CHECK(*epoch.lo == Approx(19.53125 * 0.9));
  CHECK(*epoch.hi == Approx(19.53125 * 1.2));
  CHECK(epoch.unit == "s");
  CHECK(*find_metric(rows, "training_hours").value == Approx(195.3125 / 3600.0));

  CellObservation own = two_devices();  // of a program that measures its epochs
  own.trials.front().metrics["epoch_time_s"].mean = 19.0;
  const auto others = cost_estimates(a_step(), own, study);
  CHECK(others.size() == rows.size() - 1);
  CHECK(std::ranges::find(others, "epoch_time_s", &EstimateRow::metric) == others.end());
}

TEST_CASE("energy is calculated from declared power, and says so", "[analysis]") {
  const auto rows = cost_estimates(a_step(), two_devices(), priced());

  const EstimateRow energy = find_metric(rows, "training_kwh");  // 2 x 500 W x 1.2 for an hour
  CHECK(*energy.value == Approx(1.2));
  CHECK(energy.provenance == Provenance::kScenario);
  CHECK(*find_metric(rows, "training_energy_cost").value == Approx(0.36));
  CHECK(*find_metric(rows, "training_kg_co2").value == Approx(0.48));
  CHECK(*find_metric(rows, "declared_power_kw").value == Approx(1.2));
  const EstimateRow per_kw = find_metric(rows, "throughput_per_kw");  // 2560 samples/s
  CHECK(*per_kw.value == Approx(2560.0 / 1.2));
  CHECK(*per_kw.lo == Approx(2560.0 / 1.2 / 1.2));
  CHECK(*per_kw.hi == Approx(2560.0 / 1.2 / 0.9));
  CHECK(per_kw.provenance == Provenance::kScenario);
  CHECK(*find_metric(rows, "energy_kwh_per_million_samples").value == Approx(1.2 / 9.216));
}

TEST_CASE("what is not declared has no row", "[analysis]") {
  Study study = priced();
  study.cost->energy.reset();
  study.cost->train = Training{.tokens = 1e9};  // of a model that has none
  const auto rows = cost_estimates(a_step(), two_devices(), study);
  CHECK(rows.size() == 2);
  study.cost.reset();
  CHECK(cost_estimates(a_step(), two_devices(), study).empty());
}

ComparisonRow speedup_of(double value, double lo, double hi) {
  ComparisonRow row;
  row.cell_id = 2;
  row.baseline_cell_id = 1;
  row.quantity = "speedup";
  row.value = value;
  row.lo = lo;
  row.hi = hi;
  row.n = 8;
  row.verdict = Verdict::kFaster;
  row.status = RowStatus::kOk;
  return row;
}

std::vector<EstimateRow> invest(const ComparisonRow& speedup,
                                const std::vector<Investment>& others = {}) {
  Study study = priced();
  study.cost->investments = {
      {.name = "second card", .price = 1200.0, .where = {{"devices", std::int64_t{2}}}}};
  study.cost->investments.insert(study.cost->investments.end(), others.begin(), others.end());
  const auto observation = test::make_observation(
      {test::observe_cell(test::make_cell(1, 1, 256), {0.1}), two_devices()}, Scaling::kStrong);
  return investment_estimates({speedup}, observation, study);
}

TEST_CASE("an investment pays when what it saves is its price", "[analysis]") {
  const auto rows = invest(speedup_of(1.5, 1.25, 2.0));

  // The base costs 3 USD an hour; 1.5x saves a third of it: 1200 / 1 h.
  const EstimateRow pays = find_metric(rows, "pays_after_hours:second card");
  CHECK(*pays.value == Approx(1200.0));
  CHECK(*pays.lo == Approx(800.0));   // 2x: 1200 / 1.5
  CHECK(*pays.hi == Approx(2000.0));  // 1.25x: 1200 / 0.6
  const EstimateRow gain = find_metric(rows, "gain_per_thousand:second card");
  CHECK(*gain.value == Approx(0.5 / 1.2));
  CHECK(*gain.lo == Approx(0.25 / 1.2));
}

// The cells have 1 and 2 devices, with a batch of 256 and of 128 on each.
TEST_CASE("a speedup by two purchases pays for neither alone", "[analysis]") {
  const ComparisonRow speedup = speedup_of(1.5, 1.25, 2.0);
  const Investment memory = {
      .name = "memory", .price = 400.0, .where = {{"batch_per_device", std::int64_t{128}}}};
  CHECK(invest(speedup, {memory}).empty());

  // Another offer of the same, and both together at one price.
  const Investment used = {
      .name = "used card", .price = 600.0, .where = {{"devices", std::int64_t{2}}}};
  CHECK(*find_metric(invest(speedup, {used}), "pays_after_hours:second card").value ==
        Approx(1200.0));
  CHECK(*find_metric(invest(speedup, {used}), "pays_after_hours:used card").value == Approx(600.0));
  const Investment both = {
      .name = "both",
      .price = 1500.0,
      .where = {{"batch_per_device", std::int64_t{128}}, {"devices", std::int64_t{2}}}};
  const auto rows = invest(speedup, {both});
  CHECK(rows.size() == 2);
  CHECK(*find_metric(rows, "pays_after_hours:both").value == Approx(1500.0));

  // What the base has instead is another level of the same, and no second purchase.
  const Investment first = {
      .name = "first card", .price = 900.0, .where = {{"devices", std::int64_t{1}}}};
  CHECK(*find_metric(invest(speedup, {first}), "pays_after_hours:second card").value ==
        Approx(1200.0));
}

TEST_CASE("what may be slower has no end, and what is slower never pays", "[analysis]") {
  const EstimateRow open =
      find_metric(invest(speedup_of(1.1, 0.9, 1.3)), "pays_after_hours:second card");
  CHECK(open.value.has_value());
  CHECK_FALSE(open.hi.has_value());

  const EstimateRow never =
      find_metric(invest(speedup_of(0.8, 0.7, 0.9)), "pays_after_hours:second card");
  CHECK_FALSE(never.value.has_value());
  CHECK_FALSE(never.lo.has_value());
  CHECK(never.status == RowStatus::kNotReached);
}

TEST_CASE("a speedup without an interval tells no hours", "[analysis]") {
  ComparisonRow once = speedup_of(1.5, 1.25, 2.0);
  once.lo.reset();
  once.hi.reset();
  once.status = RowStatus::kInsufficientData;

  const EstimateRow pays = find_metric(invest(once), "pays_after_hours:second card");
  CHECK_FALSE(pays.value.has_value());
  CHECK(pays.status == RowStatus::kInsufficientData);
}

TEST_CASE("what was not applied, and what is oversubscribed, pays for nothing", "[analysis]") {
  ComparisonRow speedup = speedup_of(1.5, 1.25, 2.0);
  for (const Verdict none :
       {Verdict::kNoClaim, Verdict::kNotApplied, Verdict::kUnconfirmed, Verdict::kSoftwareType}) {
    speedup.verdict = none;
    CHECK(invest(speedup).empty());
  }
}

TEST_CASE("samples for the same cost are the speedup over the ratio of prices", "[analysis]") {
  const auto observation = test::make_observation(
      {test::observe_cell(test::make_cell(1, 1, 256), {0.1}), two_devices()}, Scaling::kStrong);

  const auto rows = cost_efficiencies({speedup_of(1.5, 1.25, 2.0)}, observation, priced());

  CHECK(*find_metric(rows, "cost_efficiency").value == Approx(0.75));  // 3 USD an hour against 6
  CHECK(*find_metric(rows, "cost_efficiency").lo == Approx(0.625));
  CHECK(*find_metric(rows, "cost_efficiency:whole node").value ==
        Approx(1.5));  // one node either way
  CHECK(cost_efficiencies({speedup_of(1.5, 1.25, 2.0)}, observation, Study()).empty());
}

TEST_CASE("a study's own use counts every attempt by its devices", "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {test::make_cell(1, 2, 256)}, 2);
  for (const std::int64_t block : {0, 1}) {
    stored.finish({.cell = "d2b256",
                   .block = block,
                   .state = block == 0 ? TrialState::kOk : TrialState::kFailed,
                   .facts = {{"cpu_energy_j", 7.2e6, "J"}, {"measured_cpu_energy_j", 5e6, "J"}}});
  }
  const std::vector<EstimateRow> rows = study_use(stored.store(), stored.study_id());

  const EstimateRow energy = find_metric(rows, "energy_kwh_used");
  CHECK(*energy.value == Approx(4.0));
  CHECK(energy.n == 2);
  CHECK(*find_metric(rows, "device_hours_used").value == Approx(2.0 * 2.0 * 1.8 / 3600.0));
}

}  // namespace
