// Which setting is the fastest, the soonest and the cheapest, and what a training costs.
#include "harness/report/answer/cost_answers.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/choice.h"
#include "harness/report/answer/metric_answers.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/same_conditions.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/choices.h"
#include "tests/report/sample_study.h"
#include "tests/report/two_strategies.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
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

TEST_CASE("what all trainings have alike is not said of each", "[report]") {
  ReportInput input = test::read_sample();
  const auto said = [&] { return cost_answers(input).front().sentence; };
  CHECK_THAT(said(), Contains("soonest with 4 devices, batch 1024, 1.051 "));

  // Only one batch keeps a limit, but the table has others.
  for (const CellRow& cell : input.cells) {
    TargetResultRow& row = input.results.targets.emplace_back();
    row.metric = "peak_bytes";
    row.name = limit_name(row.metric);
    row.cell_id = cell.id;
    row.verdict = cell.batch_global == 1024 ? TargetVerdict::kMet : TargetVerdict::kMissed;
  }
  CHECK_THAT(said(), Contains("soonest with 4 devices, batch 1024, 1.051 "));
  input.results.targets.clear();

  std::erase_if(input.cells, [](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && cell.batch_global != 1024;
  });
  input.results.comparisons.clear();
  input.results.thresholds.clear();
  input.index = {};
  input.make_index();
  CHECK_THAT(said(),
             Contains("soonest with 4 devices, 1.051 ") &&
                 EndsWith("; cheapest with 1 device, or 2 devices (not certain which)"));
}

// 90 x 1,281,167 samples in batches of 256 at 14.4 ms a step of 4 devices: 1.802 h.
TEST_CASE("a training may have any batch, but keeps to the conditions that are given", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.decide = {"devices"};
  const std::string about = "90 epochs of 1,281,167 samples";
  const std::string large =
      "soonest with 4 devices, batch 1024, 1.051 [1.019, 1.082] h for 17.99 [17.45, 18.53] USD "
      "(estimates, not tested); cheapest with 1 device, batch 1024, or 2 devices, batch 1024";
  CHECK(sentence(cost_answers(input), about) ==
        large + ", or 1 device, batch 256 (not certain which)");

  const ReportInput any_batch = input;
  for (const CellRow& cell : input.cells) {
    TargetResultRow& row = input.results.targets.emplace_back();
    row.metric = "peak_bytes";
    row.name = limit_name(row.metric);
    row.cell_id = cell.id;
    row.verdict = cell.batch_global == 64 ? TargetVerdict::kMissed : TargetVerdict::kMet;
  }
  CHECK(sentence(cost_answers(input), about) ==
        large + ", or 1 device, batch 256 (not certain which)");

  input = any_batch;
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"strategy", cell.batch_global == 1024 ? "ddp" : "fsdp", ValueKind::kText, true});
  }
  input.index = {};
  input.make_index();
  const std::vector<Answer> all = cost_answers(input);
  REQUIRE(all.size() == 2);
  CHECK(all[0].about == about + ", strategy fsdp");
  CHECK_THAT(all[0].sentence,
             Contains("soonest with 4 devices, batch 256, 1.802 [1.748, 1.856] h for ") &&
                 Contains("; cheapest with 1 device, batch 256, "));
  CHECK(all[1].about == about + ", strategy ddp");
  CHECK(all[1].sentence == large + " (not certain which)");
}

TEST_CASE("of many conditions three are named, of the workload's own the first are meant",
          "[report]") {
  ReportInput input = test::read_sample();
  std::vector<const CellRow*> cells;
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"failure", fmt::format("after {}", cell.id), ValueKind::kText, true});
    cells.push_back(&cell);
  }
  std::vector<SameConditions> all = by_conditions(input, cells);
  REQUIRE(all.size() == 1);
  CHECK(all[0].label.empty());
  CHECK(all[0].cells == std::vector<const CellRow*>{cells[0]});

  input.declared.analysis.decide = {"devices"};
  all = by_conditions(input, cells);  // of 9 measured cells, 2 controls and an excluded one
  REQUIRE(all.size() == 3);
  for (const std::size_t i : {0, 1, 2}) {
    CHECK(all[i].label ==
          fmt::format("{} ({} of 12)", name_parameter(cells[i]->parameters.back()), i + 1));
  }
}

TEST_CASE("a group's own conditions are named once", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.decide = {"devices"};
  for (CellRow& cell : input.cells) {
    for (CellRow::Parameter& parameter : cell.parameters) {
      if (parameter.name == "model") {
        parameter.value = cell.devices == 4 ? "big" : "small";
        parameter.varied = true;
      }
    }
    cell.parameters.push_back(
        {"strategy", cell.batch_global == 64 ? "ddp" : "fsdp", ValueKind::kText, true});
  }
  input.index = {};
  input.make_index();
  std::set<std::string> abouts;
  for (const Answer& one : cost_answers(input)) {
    abouts.insert(one.about);
    CHECK_THAT(one.sentence, !Contains("strategy"));
  }
  const std::string training = "90 epochs of 1,281,167 samples, model ";
  CHECK(abouts == std::set<std::string>{training + "big, strategy ddp",
                                        training + "big, strategy fsdp",
                                        training + "small, strategy ddp",
                                        training + "small, strategy fsdp"});
}

TEST_CASE("beside a tie the other side's numbers are called estimates", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  const std::int64_t one = input.cells[0].id;
  const std::int64_t ddp = input.cells[1].id;
  const std::int64_t fsdp = input.cells[2].id;
  for (EstimateRow& row : input.results.estimates) {
    const bool is_time = row.metric == "training_hours";
    if (is_time || row.metric == "training_cost") {
      row.value = row.cell_id == ddp    ? (is_time ? 10.0 : 12.0)
                  : row.cell_id == fsdp ? (is_time ? 20.0 : 30.0)
                                        : (is_time ? 30.0 : 10.0);
      row.lo = *row.value - (is_time ? 1.0 : 9.0);
      row.hi = *row.value + (is_time ? 1.0 : 9.0);
    }
  }
  input.results.comparisons.clear();
  const auto said = [&] {
    input.index = {};
    input.make_index();
    return sentence(cost_answers(input), "1 epoch of 360,000 samples");
  };
  const auto compare =
      [&](const char* quantity, std::int64_t cell, std::int64_t base, Verdict verdict) {
        ComparisonRow& row = input.results.comparisons.emplace_back();
        row.quantity = quantity;
        row.cell_id = cell;
        row.baseline_cell_id = base;
        row.verdict = verdict;
      };
  const std::string soonest =
      "soonest with 2 devices, strategy ddp, 10.0 [9.0, 11.0] h for 12.0 [3.0, 21.0] USD";
  const std::string cheapest =
      "; cheapest with 1 device, strategy ddp, or 2 devices, strategy ddp (";
  CHECK(said() == soonest + " (estimates, not tested)" + cheapest + "not certain which)");
  compare("fastest", one, ddp, Verdict::kSlower);
  compare("fastest", fsdp, ddp, Verdict::kSlower);
  compare("cheapest", ddp, one, Verdict::kNoDetectableDifference);
  compare("cheapest", fsdp, one, Verdict::kWorse);
  CHECK(said() == soonest + cheapest + "no significant difference)");
}

TEST_CASE("a training whose step time has a verdict is no mere estimate", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  const std::int64_t one = input.cells[0].id;
  const std::int64_t ddp = input.cells[1].id;
  const std::int64_t fsdp = input.cells[2].id;
  for (EstimateRow& row : input.results.estimates) {
    const bool is_time = row.metric == "training_hours";
    if (is_time || row.metric == "training_cost") {
      row.value = row.cell_id == ddp    ? (is_time ? 10.0 : 20.0)
                  : row.cell_id == fsdp ? (is_time ? 20.0 : 30.0)
                                        : (is_time ? 30.0 : 10.0);
      row.lo = *row.value - 1.0;
      row.hi = *row.value + 1.0;
    }
  }
  input.results.comparisons.clear();
  const auto compare =
      [&](const char* quantity, std::int64_t cell, std::int64_t base, Verdict verdict) {
        ComparisonRow& row = input.results.comparisons.emplace_back();
        row.quantity = quantity;
        row.cell_id = cell;
        row.baseline_cell_id = base;
        row.verdict = verdict;
        input.index = {};
        input.make_index();
      };
  const auto said = [&] { return sentence(cost_answers(input), "1 epoch of 360,000 samples"); };
  const std::string tested =
      "soonest with 2 devices, strategy ddp, 10.0 [9.0, 11.0] h for 20.0 [19.0, 21.0] USD; "
      "cheapest with 1 device, strategy ddp, 30.0 [29.0, 31.0] h for 10.0 [9.0, 11.0] USD";

  compare("fastest", one, ddp, Verdict::kSlower);
  compare("cheapest", ddp, one, Verdict::kWorse);
  compare("cheapest", fsdp, one, Verdict::kWorse);
  CHECK(said() == tested + " (estimates, not tested)");
  compare("fastest", fsdp, ddp, Verdict::kSlower);
  CHECK(said() == tested);
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

// Typed totals of 1 device and of 2 by two strategies, with lines that are paid by the hour.
TEST_CASE("what is paid by the hour makes the sooner training the cheaper one", "[report]") {
  std::string study = kTwoStrategies;
  study.replace(study.find("  train:"), 0, "  lines: [{name: storage, per_hour: 1e6}]\n");
  ReportInput input = run_text(study);
  const auto said = [&] {
    input.index = {};
    input.make_index();
    return sentence(cost_answers(input), "1 epoch of 360,000 samples");
  };
  // Verdicts on the price of a sample are of machines alone, by which 1 device is the cheapest.
  CHECK(sentence(choices(input, pairs_of(input)), "Cheapest (USD per sample, machines only)") ==
        "1 device, strategy ddp");
  CHECK(said() ==
        "soonest and cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (not "
        "certain which)");
  for (const std::string& limit : answer_limits(input, pairs_of(input))) {
    CHECK_THAT(limit, !Contains("Faster is not cheaper"));
  }

  const std::int64_t one = input.cells[0].id;
  const std::int64_t ddp = input.cells[1].id;
  const std::int64_t fsdp = input.cells[2].id;
  const auto cost = [&](double of_one, double of_ddp, double of_fsdp, double half_width) {
    for (EstimateRow& row : input.results.estimates) {
      if (row.metric == "training_cost") {
        row.value = row.cell_id == one ? of_one : row.cell_id == ddp ? of_ddp : of_fsdp;
        row.lo = *row.value - half_width;
        row.hi = *row.value + half_width;
      }
    }
  };
  const auto compare =
      [&](const char* quantity, std::int64_t cell, std::int64_t base, Verdict verdict) {
        ComparisonRow& row = input.results.comparisons.emplace_back();
        row.quantity = quantity;
        row.cell_id = cell;
        row.baseline_cell_id = base;
        row.verdict = verdict;
      };
  const std::string all_three =
      "cheapest with 1 device, strategy ddp, or 2 devices, strategy ddp, or 2 devices, strategy "
      "fsdp (not certain which)";
  // Sooner, but with dearer samples: it depends on the lines, so the totals decide.
  input.results.comparisons.clear();
  compare("speedup", ddp, one, Verdict::kFaster);
  compare("cheapest", ddp, one, Verdict::kWorse);
  cost(10.0, 11.0, 11.5, 2.0);
  CHECK_THAT(said(), Contains(all_three));
  cost(10.0, 20.0, 30.0, 2.0);
  CHECK_THAT(said(),
             Contains("cheapest with 1 device, strategy ddp, ") &&
                 !Contains("cheapest with 1 device, strategy ddp, or"));

  // Later on machines of the same price: dearer, though the totals overlap.
  compare("fastest", fsdp, ddp, Verdict::kSlower);
  cost(10.0, 11.0, 11.5, 2.0);
  CHECK_THAT(said(),
             Contains("cheapest with 1 device, strategy ddp, or 2 devices, strategy ddp (not "
                      "certain which)"));

  // Later, and with dearer samples: dearer, though its machines cost less an hour.
  input.results.comparisons.clear();
  compare("speedup", ddp, one, Verdict::kFaster);
  compare("cheapest", one, ddp, Verdict::kWorse);
  CHECK_THAT(said(),
             Contains("cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (not "
                      "certain which)"));

  // Intervals of totals decide nothing that all verdicts on their parts leave open.
  input.results.comparisons.clear();
  compare("fastest", one, ddp, Verdict::kNoDetectableDifference);
  compare("fastest", fsdp, ddp, Verdict::kNoDetectableDifference);
  cost(30.0, 10.0, 20.0, 1.0);
  CHECK_THAT(said(),
             Contains("cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (not "
                      "certain which)"));
  compare("cheapest", one, ddp, Verdict::kNoDetectableDifference);
  CHECK_THAT(said(),
             Contains("cheapest with 2 devices, strategy ddp, or 2 devices, strategy fsdp, or 1 "
                      "device, strategy ddp (not certain which)"));
}

TEST_CASE("of trainings whose times overlap none is named alone, unless a verdict parts them",
          "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  const auto said = [&] {
    input.index = {};
    input.make_index();
    return sentence(cost_answers(input), "1 epoch of 360,000 samples");
  };
  const std::int64_t ddp = input.cells[1].id;
  const std::int64_t fsdp = input.cells[2].id;
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "training_hours") {
      row.value = row.cell_id == ddp ? 10.0 : row.cell_id == fsdp ? 10.5 : 20.0;
      row.lo = *row.value - 1.0;
      row.hi = *row.value + 1.0;
    }
  }
  std::erase_if(input.results.comparisons,
                [](const ComparisonRow& row) { return row.quantity == "fastest"; });
  CHECK_THAT(said(),
             Contains("soonest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (not "
                      "certain which); cheapest with 1 device"));

  ComparisonRow& row = input.results.comparisons.emplace_back(input.results.comparisons.front());
  row.quantity = "fastest";
  row.cell_id = fsdp;
  row.baseline_cell_id = ddp;
  row.verdict = Verdict::kSlower;
  CHECK_THAT(said(),
             Contains("soonest with 2 devices, strategy ddp, 10.0 [9.0, 11.0] h for ") &&
                 !Contains("fsdp"));

  // The table says "no significant difference" of both, as it allows for all comparisons.
  row.verdict = Verdict::kNoDetectableDifference;
  for (EstimateRow& estimate : input.results.estimates) {
    if (estimate.metric == "training_hours") {
      estimate.lo = *estimate.value - 0.1;
      estimate.hi = *estimate.value + 0.1;
    }
  }
  CHECK_THAT(said(),
             Contains("soonest with 2 devices, strategy ddp, or 2 devices, strategy fsdp (no "
                      "significant difference)"));

  // What is certainly slower than any other is not the soonest, whatever it is beside the least.
  row.baseline_cell_id = input.cells[0].id;
  row.verdict = Verdict::kSlower;
  for (EstimateRow& estimate : input.results.estimates) {
    if (estimate.metric == "training_hours") {
      estimate.lo = 1.0;
      estimate.hi = 30.0;
    }
  }
  std::erase_if(input.results.comparisons,
                [](const ComparisonRow& speedup) { return speedup.quantity == "speedup"; });
  CHECK_THAT(said(), Contains("soonest with 2 devices, strategy ddp, or 1 device, strategy ddp ("));
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
