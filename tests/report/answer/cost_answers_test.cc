// Which setting is the fastest, the soonest and the cheapest, and what a training costs.
#include "harness/report/answer/cost_answers.h"

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/choice.h"
#include "harness/report/answer/metric_answers.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/study/parameters/choices.h"
#include "tests/report/sample_study.h"
#include "tests/report/two_strategies.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::kTwoStrategies;
using test::run_text;
using test::sentence;

TEST_CASE("settings that share a name's beginning are told apart on the first screen", "[report]") {
  const ReportInput input = run_text(kTwoStrategies);
  const std::vector<Answer> all = choices(input, pairs_of(input));

  CHECK(sentence(all, "Use (fastest)") ==
        "2 devices, strategy ddp or 2 devices, strategy fsdp (no significant difference)");
  CHECK(sentence(all, "Cheapest (USD per sample)") == "1 device, strategy ddp");
}

TEST_CASE("a study that declares a training says what it costs before the first table",
          "[report]") {
  const ReportInput input = run_text(kTwoStrategies);
  const std::string text = sentence(cost_answers(input), "1 epoch of 360,000 samples");

  CHECK_THAT(text, Contains("soonest with 2 devices, strategy "));
  CHECK_THAT(text, Contains("; cheapest with 1 device, strategy ddp, "));
  CHECK_THAT(test::first_screen(test::render_kind(input, "scaling")), Contains(text));

  std::string half = kTwoStrategies;
  half.replace(half.find("epochs: 1"), 9, "epochs: 0.5");
  ReportInput untrained = input;
  untrained.declared.cost->train.reset();
  std::erase_if(untrained.results.estimates,
                [](const EstimateRow& row) { return row.metric.starts_with("training_"); });
  untrained.make_index();
  CHECK_THAT(
      sentence(cost_answers(untrained), "Cost"),
      Contains("cheapest with 1 device, strategy ddp, ") && Contains(" USD per million samples"));
  CHECK_FALSE(sentence(cost_answers(run_text(half)), "0.5 epochs of 360,000 samples").empty());
  untrained.declared.cost.reset();
  CHECK(cost_answers(untrained).empty());
}

TEST_CASE("what a search left in its race is not among the cheapest", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  input.declared.search.emplace();
  CHECK_THAT(sentence(cost_answers(input), "1 epoch of 360,000 samples"),
             Contains("soonest of the settings on fresh blocks with 2 devices, strategy "));
  std::erase_if(input.results.estimates,
                [](const EstimateRow& row) { return row.metric.starts_with("training_"); });
  input.make_index();
  CHECK_THAT(sentence(cost_answers(input), "Cost"),
             Contains("cheapest of the settings on fresh blocks with 1 device, strategy ddp, "));
}

TEST_CASE("what costs the same an hour is cheapest where it is fastest", "[report]") {
  std::string text = kTwoStrategies;
  text.replace(
      text.find("per_device_hour"), std::string("per_device_hour").size(), "per_node_hour");
  const ReportInput input = run_text(text);

  CHECK(choices(input, pairs_of(input)).front().about == "Use (fastest and cheapest)");
}

TEST_CASE("of two times without a verdict neither is called the soonest", "[report]") {
  ReportInput input = test::read_sample();
  const ComparisonRow sample = input.results.comparisons.front();
  input.results = {};
  input.declared.analysis.metrics = {};
  input.declared.analysis.time_to = {{.metric = "loss", .at_least = {}, .at_most = 0.5}};
  const auto estimate = [&](std::int64_t cell, const char* metric, double value) {
    EstimateRow& row = input.results.estimates.emplace_back();
    row.cell_id = cell;
    row.metric = metric;
    row.statistic =
        metric == std::string("time_to:loss:0.5") ? Statistic::kMedian : Statistic::kMean;
    row.value = value;
    row.n = 3;
    row.n_planned = 5;
  };
  for (const std::int64_t cell : {sample.baseline_cell_id, sample.cell_id}) {
    estimate(cell, "time_to:loss:0.5", cell == sample.baseline_cell_id ? 1.0 : 2.0);
    estimate(cell, "reached:loss:0.5", 1.0);
  }
  ComparisonRow& compared = input.results.comparisons.emplace_back(sample);
  compared.quantity = "time_to:loss:0.5";
  compared.verdict = Verdict::kNoDetectableDifference;
  const auto said = [&] {
    input.index = {};
    input.make_index();
    return sentence(metric_answers(input), "loss 0.5");
  };
  const std::string base = short_name(input, input.cell(sample.baseline_cell_id));
  const std::string cell = short_name(input, input.cell(sample.cell_id));
  CHECK(said() == "soonest with " + base + ", or " + cell + " (no significant difference)");
  compared.baseline_cell_id = 0;  // of a third cell, that both are faster than
  CHECK(said() == "soonest with " + base + ", or " + cell + " (not certain which)");
  compared.baseline_cell_id = sample.baseline_cell_id;
  compared.verdict = Verdict::kSlower;
  const std::string soonest =
      "soonest with " + base + ", after 1000 ms in 3 of 3 trials (5 planned)";
  CHECK(said() == soonest);

  // Devices that no other answer chooses among, as the work of a step is not known.
  input.declared.workload = Workload::kCommand;
  input.declared.axes = {{.name = "devices", .values = {std::int64_t{1}, std::int64_t{2}}}};
  input.declared.parameters = {};
  input.declared.zip = {};
  CHECK_FALSE(is_choice(input.declared, "devices"));
  compared.verdict = Verdict::kNoDetectableDifference;
  CHECK(said() == "soonest with " + base + ", or " + cell + " (no significant difference)");

  for (EstimateRow& row : input.results.estimates) {
    row.metric = "throughput";
  }
  CHECK(said() ==
        "not known, because no trial has a value and a time for every step or every epoch");
}

TEST_CASE("that no cell is certain to be the cheapest is said of all cells together", "[report]") {
  const ReportInput input = run_text(kTwoStrategies);
  std::vector<const EstimateRow*> rows(4, &input.results.estimates.front());
  const auto three_hours = [](const CellRow&) { return "3 h"; };
  CHECK(say_leaders(input, rows, "cheapest", three_hours, kNotCertain) ==
        "over all compared values, no cell is certain to be the cheapest; least by estimate: " +
            short_name(input, input.cell(rows.front()->cell_id)) + ", 3 h");
}

TEST_CASE("a training that no cell is certain to win is told in one clause", "[report]") {
  ReportInput input = test::read_sample();
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "training_hours" || row.metric == "training_cost") {
      row.value = 20.0;
      row.lo = 10.0;
      row.hi = 30.0;
    }
  }
  input.results.comparisons.clear();
  const auto said = [&] {
    input.index = {};
    input.make_index();
    return cost_answers(input).front().sentence;
  };
  const std::string of_all =
      "over all compared values, no cell is certain to be the soonest or the cheapest; least by "
      "estimate: 1 device, batch 64, 20 [10, 30] h for 20 [10, 30] USD";
  CHECK(said() == of_all);
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "training_cost" && row.cell_id == input.cells[2].id) {
      row.value = 19.0;
    }
  }
  CHECK(said() == of_all + ", and 4 devices, batch 64, 20 [10, 30] h for 19 [10, 30] USD");
}

TEST_CASE("that no cell is certain to be the cheapest is said of those within limits", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.within = {{"training_hours", false, 40.0}};
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "training_hours" || row.metric == "training_cost") {
      const bool is_soonest = row.metric == "training_hours" && row.cell_id == input.cells[2].id;
      row.value = is_soonest ? 5.0 : 20.0;
      row.lo = is_soonest ? 4.0 : 10.0;
      row.hi = is_soonest ? 6.0 : 30.0;
    }
  }
  input.results.comparisons.clear();
  input.index = {};
  input.make_index();
  CHECK(cost_answers(input).front().sentence ==
        "soonest within 40 h with 4 devices, batch 64, 5.0 [4.0, 6.0] h for 20 [10, 30] USD "
        "(estimates, not tested); over all compared values, no cell is certain to be the cheapest "
        "within 40 h; least by estimate: 1 device, batch 64, 20 [10, 30] h for 20 [10, 30] USD");
}

TEST_CASE("what training costs is said of cells with an interval, as an estimate", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(cost_answers(input).front().sentence, Catch::Matchers::StartsWith("soonest "));

  for (EstimateRow& row : input.results.estimates) {
    row.lo = row.hi = std::nullopt;
  }
  input.make_index();
  CHECK(cost_answers(input).empty());
}

TEST_CASE("faster is dearer by what a training costs, where that is least and most", "[report]") {
  ReportInput input = test::read_sample();
  const auto said = [&] {
    for (const std::string& text : answer_limits(input, pairs_of(input))) {
      if (text.starts_with("Faster is not cheaper: ")) {
        return text.substr(23);
      }
    }
    return std::string();
  };
  // With lines an hour is 12.36 USD against 3.36. Batch 1024: 5 USD and 1.0510 h against 5 USD and
  // 3.2654 h, 17.990 over 15.972 USD; batch 256: 27.268 over 16.603 USD.
  const std::string trainings =
      "the training costs 1.126 (batch 1024) to 1.642 (batch 256) times as much";
  CHECK(said() == "lines included, 4 devices cost 3.679 times as much per hour as 1 device, and " +
                      trainings);

  // A sample has no lines: 4 over speedups of 3.1071 and 1.9167, which are ± 5 %.
  const std::string an_hour = "4 devices cost 4 times as much per hour as 1 device, and ";
  const std::string costs =
      "a sample costs 1.287 [1.226, 1.355] (batch 1024) to 2.09 [1.99, 2.20] (batch 256) times as "
      "much";
  const ReportInput trained = input;
  std::erase_if(input.results.estimates,
                [](const EstimateRow& row) { return row.metric == "training_cost"; });
  input.index = {};
  input.make_index();
  CHECK(said() == "machines only, " + an_hour + costs);
  input.declared.cost->lines.front().per_hour = 0.0;  // 5 USD per training are left
  CHECK(said() == "machines only, " + an_hour + costs);
  input = trained;
  input.index = {};
  input.make_index();
  input.declared.cost->lines.front().per_hour = 0.0;
  CHECK(said() == "lines included, " + an_hour + trainings);
  input.declared.cost->lines.clear();
  CHECK(said() == an_hour + costs);

  const auto row_of = [&](const std::string& quantity, std::int64_t batch) {
    return std::ranges::find_if(input.results.comparisons, [&](const ComparisonRow& row) {
      return row.quantity == quantity && input.cell(row.cell_id).devices == 4 &&
             input.cell(row.cell_id).batch_global == batch;
    });
  };
  const auto fast = [&](std::int64_t batch) { return row_of("speedup", batch); };
  fast(64)->verdict = Verdict::kFaster;
  row_of("efficiency", 64)->verdict = Verdict::kNoDetectableDifference;
  CHECK(said() == an_hour + "in 2 of 3 faster pairs " + costs);
  fast(64)->verdict = Verdict::kSlower;
  fast(256)->verdict = Verdict::kNoDetectableDifference;
  CHECK(said() == an_hour + "at batch 1024 a sample costs 1.287 [1.226, 1.355] times as much");
  fast(256)->verdict = Verdict::kFaster;
  for (const std::int64_t batch : {256, 1024}) {
    fast(batch)->value = 2.0;
    fast(batch)->lo = 1.9;
    fast(batch)->hi = 2.1;
  }
  input.declared.cost.reset();
  CHECK(said() == an_hour + "a sample takes 2.00 [1.90, 2.11] times as much device time");
}
