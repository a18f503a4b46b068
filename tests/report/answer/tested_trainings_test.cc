// What verdicts on times and costs say of trainings.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/choice.h"
#include "harness/report/answer/cost_answers.h"
#include "harness/report/answer/pairs.h"
#include "tests/report/two_strategies.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::kTwoStrategies;
using test::run_text;
using test::sentence;

namespace {

// One device and two by each strategy, with totals and verdicts that are typed.
class Trainings {
 public:
  explicit Trainings(const std::string& study = kTwoStrategies) : input(run_text(study)) {}

  // Of one device, of two by replicas and of two by shares.
  void total(
      const std::string& metric, double of_one, double of_ddp, double of_fsdp, double half_width) {
    for (EstimateRow& row : input.results.estimates) {
      if (row.metric == metric) {
        row.value = row.cell_id == one ? of_one : row.cell_id == ddp ? of_ddp : of_fsdp;
        row.lo = *row.value - half_width;
        row.hi = *row.value + half_width;
      }
    }
  }

  void compare(const char* quantity, std::int64_t cell, std::int64_t base, Verdict verdict) {
    ComparisonRow& row = input.results.comparisons.emplace_back();
    row.quantity = quantity;
    row.cell_id = cell;
    row.baseline_cell_id = base;
    row.verdict = verdict;
  }

  std::string said() {
    input.index = {};
    input.make_index();
    return test::sentence(cost_answers(input), "1 epoch of 360,000 samples");
  }

  ReportInput input;
  const std::int64_t one = input.cells[0].id;
  const std::int64_t ddp = input.cells[1].id;
  const std::int64_t fsdp = input.cells[2].id;
};

}  // namespace

TEST_CASE("beside a tie the other side's numbers are called estimates", "[report]") {
  Trainings trained;
  trained.total("training_hours", 30.0, 10.0, 20.0, 1.0);
  trained.total("training_cost", 10.0, 12.0, 30.0, 9.0);
  trained.input.results.comparisons.clear();
  const std::string soonest =
      "soonest with 2 devices, strategy ddp, 10.0 [9.0, 11.0] h for 12.0 [3.0, 21.0] USD";
  const std::string cheapest =
      "; cheapest with 1 device, strategy ddp, or 2 devices, strategy ddp (";
  CHECK(trained.said() == soonest + " (estimates, not tested)" + cheapest + "not certain which)");
  trained.compare("fastest", trained.one, trained.ddp, Verdict::kSlower);
  trained.compare("fastest", trained.fsdp, trained.ddp, Verdict::kSlower);
  trained.compare("cheapest", trained.ddp, trained.one, Verdict::kNoDetectableDifference);
  trained.compare("cheapest", trained.fsdp, trained.one, Verdict::kWorse);
  CHECK(trained.said() == soonest + cheapest + "no significant difference)");
}

TEST_CASE("a training whose step time has a verdict is no mere estimate", "[report]") {
  Trainings trained;
  trained.total("training_hours", 30.0, 10.0, 20.0, 1.0);
  trained.total("training_cost", 10.0, 20.0, 30.0, 1.0);
  trained.input.results.comparisons.clear();
  const std::string tested =
      "soonest with 2 devices, strategy ddp, 10.0 [9.0, 11.0] h for 20.0 [19.0, 21.0] USD; "
      "cheapest with 1 device, strategy ddp, 30.0 [29.0, 31.0] h for 10.0 [9.0, 11.0] USD";

  trained.compare("fastest", trained.one, trained.ddp, Verdict::kSlower);
  trained.compare("cheapest", trained.ddp, trained.one, Verdict::kWorse);
  trained.compare("cheapest", trained.fsdp, trained.one, Verdict::kWorse);
  CHECK(trained.said() == tested + " (estimates, not tested)");
  trained.compare("fastest", trained.fsdp, trained.ddp, Verdict::kSlower);
  CHECK(trained.said() == tested);
}

namespace {

const std::string kThreeStrategies = R"(version: 1
study: three-strategies
workload: train
parameters: {backend: cpu, model: resnet50-cifar, devices: 2, batch_per_device: 100}
axes: {strategy: [ddp, zero1, fsdp]}
trials: {count: 4}
analysis: {baseline: {strategy: ddp}}
cost:
  per_device_hour: 1
  currency: USD
  train: {epochs: 1, samples_per_epoch: 360000}
)";

// 10.0 h of 2 devices at 1 USD an hour are 20.0 USD.
void type_totals(Trainings& trained) {
  trained.total("training_hours", 10.4, 10.0, 10.5, 1.0);
  trained.total("training_cost", 20.8, 20.0, 21.0, 1.0);
  trained.total("cost_per_million_samples", 20.8, 20.0, 21.0, 1.0);
  trained.input.results.comparisons.clear();
}

}  // namespace

TEST_CASE("of settings that cost the same an hour the sooner is the cheaper", "[report]") {
  Trainings trained(kThreeStrategies);
  type_totals(trained);
  const std::int64_t ddp = trained.input.cells[0].id;
  const std::int64_t zero1 = trained.input.cells[1].id;
  const std::int64_t fsdp = trained.input.cells[2].id;
  const std::string three = "strategy zero1, or strategy ddp, or strategy fsdp (";
  CHECK(trained.said() == "soonest and cheapest with " + three + "not certain which)");

  trained.compare("fastest", ddp, zero1, Verdict::kSlower);
  trained.compare("fastest", fsdp, zero1, Verdict::kSlower);
  trained.compare("speedup", zero1, ddp, Verdict::kFaster);
  trained.compare("speedup", fsdp, ddp, Verdict::kNoDetectableDifference);
  CHECK(trained.said() ==
        "soonest and cheapest with strategy zero1, 10.0 [9.0, 11.0] h for 20.0 [19.0, 21.0] USD");

  trained.input.declared.cost->train.reset();
  std::erase_if(trained.input.results.estimates,
                [](const EstimateRow& row) { return row.metric.starts_with("training_"); });
  trained.input.index = {};
  trained.input.make_index();
  CHECK(sentence(cost_answers(trained.input), "Cost") ==
        "cheapest with strategy zero1, 20.0 [19.0, 21.0] USD per million samples");

  for (const std::string& lines :
       {std::string(), std::string("  lines: [{name: storage, per_hour: 1, per_training: 5}]\n")}) {
    Trainings tied(kThreeStrategies + lines);
    type_totals(tied);
    tied.compare("fastest", ddp, zero1, Verdict::kNoDetectableDifference);
    tied.compare("fastest", fsdp, zero1, Verdict::kNoDetectableDifference);
    tied.compare("speedup", fsdp, ddp, Verdict::kNoDetectableDifference);
    CHECK(tied.said() == "soonest and cheapest with " + three + "no significant difference)");
  }
}

TEST_CASE("beside settings at other prices the slower of two at one price is not the cheapest",
          "[report]") {
  Trainings trained;
  trained.total("training_cost", 10.0, 11.0, 11.5, 2.0);
  trained.input.results.comparisons.clear();
  trained.compare("fastest", trained.fsdp, trained.ddp, Verdict::kSlower);
  trained.compare("cheapest", trained.one, trained.ddp, Verdict::kNoDetectableDifference);
  const std::string two = "cheapest with 1 device, strategy ddp, or 2 devices, strategy ddp";
  CHECK_THAT(trained.said(), Contains(two + " (no significant difference)"));
  trained.compare("cheapest", trained.fsdp, trained.ddp, Verdict::kNoDetectableDifference);
  CHECK_THAT(trained.said(), Contains(two + ", or 2 devices, strategy fsdp (not certain which)"));
}

TEST_CASE("a setting that limits leave alone needs no test", "[report]") {
  Trainings trained(kThreeStrategies);
  type_totals(trained);
  trained.total("training_hours", 30.0, 10.0, 20.0, 1.0);
  trained.total("training_cost", 60.0, 20.0, 40.0, 1.0);
  for (const std::size_t i : {0, 1, 2}) {
    TargetResultRow& row = trained.input.results.targets.emplace_back();
    row.metric = "training_hours";
    row.name = limit_name(row.metric);
    row.cell_id = trained.input.cells[i].id;
    row.verdict = i == 0 ? TargetVerdict::kMissed : TargetVerdict::kMet;
  }
  const std::string best =
      "soonest and cheapest with strategy zero1, 10.0 [9.0, 11.0] h for 20.0 [19.0, 21.0] USD";
  CHECK(trained.said() == best + " (estimates, not tested)");
  trained.input.results.targets.back().verdict = TargetVerdict::kMissed;
  CHECK(trained.said() == best);
}

// Typed totals of 1 device and of 2 by two strategies, with lines that are paid by the hour.
TEST_CASE("what is paid by the hour makes the sooner training the cheaper one", "[report]") {
  std::string study = kTwoStrategies;
  study.replace(study.find("  train:"), 0, "  lines: [{name: storage, per_hour: 1e6}]\n");
  Trainings trained(study);
  // Verdicts on the price of a sample are of machines alone, by which 1 device is the cheapest.
  CHECK(sentence(choices(trained.input, pairs_of(trained.input)),
                 "Cheapest (USD per sample, machines only)") == "1 device, strategy ddp");
  CHECK(trained.said() ==
        "soonest and cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (no "
        "significant difference)");
  for (const std::string& limit : answer_limits(trained.input, pairs_of(trained.input))) {
    CHECK_THAT(limit, !Contains("Faster is not cheaper"));
  }

  const std::string all_three =
      "cheapest with 1 device, strategy ddp, or 2 devices, strategy ddp, or 2 devices, strategy "
      "fsdp (not certain which)";
  // Sooner, but with dearer samples: it depends on the lines, so the totals decide.
  trained.input.results.comparisons.clear();
  trained.compare("speedup", trained.ddp, trained.one, Verdict::kFaster);
  trained.compare("cheapest", trained.ddp, trained.one, Verdict::kWorse);
  trained.total("training_cost", 10.0, 11.0, 11.5, 2.0);
  CHECK_THAT(trained.said(), Contains(all_three));
  trained.total("training_cost", 10.0, 20.0, 30.0, 2.0);
  CHECK_THAT(trained.said(),
             Contains("cheapest with 1 device, strategy ddp, ") &&
                 !Contains("cheapest with 1 device, strategy ddp, or"));

  // Later on machines of the same price: dearer, though the totals overlap.
  trained.compare("fastest", trained.fsdp, trained.ddp, Verdict::kSlower);
  trained.total("training_cost", 10.0, 11.0, 11.5, 2.0);
  CHECK_THAT(trained.said(),
             Contains("cheapest with 1 device, strategy ddp, or 2 devices, strategy ddp (not "
                      "certain which)"));

  // Later, and with dearer samples: dearer, though its machines cost less an hour.
  trained.input.results.comparisons.clear();
  trained.compare("speedup", trained.ddp, trained.one, Verdict::kFaster);
  trained.compare("cheapest", trained.one, trained.ddp, Verdict::kWorse);
  CHECK_THAT(trained.said(),
             Contains("cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (not "
                      "certain which)"));

  // Intervals of totals decide nothing that all verdicts on their parts leave open.
  trained.input.results.comparisons.clear();
  trained.compare("fastest", trained.one, trained.ddp, Verdict::kNoDetectableDifference);
  trained.compare("fastest", trained.fsdp, trained.ddp, Verdict::kNoDetectableDifference);
  trained.total("training_cost", 30.0, 10.0, 20.0, 1.0);
  CHECK_THAT(trained.said(),
             Contains("cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (no "
                      "significant difference)"));
  trained.compare("cheapest", trained.one, trained.ddp, Verdict::kNoDetectableDifference);
  CHECK_THAT(trained.said(),
             Contains("cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp, or 1 "
                      "device, strategy ddp (not certain which)"));
}

TEST_CASE("of trainings whose times overlap none is named alone, unless a verdict parts them",
          "[report]") {
  Trainings trained;
  trained.total("training_hours", 20.0, 10.0, 10.5, 1.0);
  std::erase_if(trained.input.results.comparisons,
                [](const ComparisonRow& row) { return row.quantity == "fastest"; });
  CHECK_THAT(trained.said(),
             Contains("soonest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (not "
                      "certain which); cheapest with 1 device"));

  ComparisonRow& row =
      trained.input.results.comparisons.emplace_back(trained.input.results.comparisons.front());
  row.quantity = "fastest";
  row.cell_id = trained.fsdp;
  row.baseline_cell_id = trained.ddp;
  row.verdict = Verdict::kSlower;
  CHECK_THAT(trained.said(),
             Contains("soonest with 2 devices, strategy ddp, 10.0 [9.0, 11.0] h for ") &&
                 !Contains("fsdp"));

  // The table says "no significant difference" of both, as it allows for all comparisons.
  row.verdict = Verdict::kNoDetectableDifference;
  for (EstimateRow& estimate : trained.input.results.estimates) {
    if (estimate.metric == "training_hours") {
      estimate.lo = *estimate.value - 0.1;
      estimate.hi = *estimate.value + 0.1;
    }
  }
  CHECK_THAT(trained.said(),
             Contains("soonest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (no "
                      "significant difference)"));

  // What is certainly slower than any other is not the soonest, whatever it is beside the least.
  row.baseline_cell_id = trained.one;
  row.verdict = Verdict::kSlower;
  for (EstimateRow& estimate : trained.input.results.estimates) {
    if (estimate.metric == "training_hours") {
      estimate.lo = 1.0;
      estimate.hi = 30.0;
    }
  }
  std::erase_if(trained.input.results.comparisons,
                [](const ComparisonRow& speedup) { return speedup.quantity == "speedup"; });
  CHECK_THAT(trained.said(),
             Contains("soonest with 2 devices, strategy ddp, or 1 device, strategy ddp ("));
}
