// Metrics that a study asks for: their answers and their tables.
#include "harness/report/answer/metric_answers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/rules/lint.h"
#include "tests/report/sample_study.h"
#include "tests/report/two_strategies.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::kTwoStrategies;
using test::run_text;
using test::sentence;

namespace {

using enum Verdict;

// The answer on peak_bytes, lower is better, once the cell has that ratio to its base.
std::string peak_answer(ReportInput& input,
                        std::size_t cell,
                        std::optional<double> value,
                        Verdict verdict) {
  input.declared.analysis.metrics = {{.metric = "peak_bytes", .is_higher_better = false}};
  ComparisonRow row = input.results.comparisons.front();
  row.quantity = "peak_bytes";
  row.cell_id = input.cells[cell].id;
  row.value = value;
  row.lo = row.hi = std::nullopt;
  row.verdict = verdict;
  input.results.comparisons.push_back(row);
  input.make_index();
  return metric_answers(input).front().sentence;
}

}  // namespace

TEST_CASE("a metric's own margin stands over its table", "[report]") {
  std::string text = kTwoStrategies;
  text.insert(text.find("better: lower}") + 13, ", margin: 5%");

  CHECK_THAT(test::render_kind(run_text(text), "scaling"),
             Contains("### Peak memory, lower is better; differences below 5 % do not "
                      "matter\n"));
}

TEST_CASE("a metric is named in words, its bytes are in a readable unit", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "peak_bytes") {
      row.unit = "bytes";
      row.value = 52.07e6;
      row.lo = row.hi = std::nullopt;
    }
  }
  const std::string page = test::render_kind(input, "scaling");
  const std::size_t begin = page.find("### Peak memory, lower is better\n");
  REQUIRE(begin != std::string::npos);
  const std::string table = page.substr(begin, page.find("\nData:", begin) - begin);

  CHECK_THAT(table, Contains("| 49.66 MiB |") && !Contains(",000"));
  CHECK_THAT(page, !Contains("**peak_bytes:**"));
}

TEST_CASE("a metric of one pair is answered in a few words", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return row.quantity == "peak_bytes" && input.cell(row.cell_id).hash != input.cells[2].hash;
  });
  REQUIRE(std::ranges::count(input.results.comparisons, "peak_bytes", &ComparisonRow::quantity) ==
          1);
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "peak_bytes") {
      row.value = 0.5948;
      row.lo = row.hi = std::nullopt;
      row.verdict = Verdict::kBetter;
      row.finding = "a long sentence";
    }
  }
  input.make_index();

  CHECK(sentence(metric_answers(input), "peak memory") ==
        "better, 0.5948x with 2 devices, strategy fsdp");
}

TEST_CASE("a metric of a side that this machine cannot run is said in few words", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  const CellRow& cell = input.cells[1];
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return row.quantity == "peak_bytes" && row.cell_id != cell.id;
  });
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "peak_bytes") {
      row.value = row.lo = row.hi = std::nullopt;
      row.verdict = Verdict::kUnsupported;
    }
  }
  input.index = {};
  input.make_index();

  CHECK(sentence(metric_answers(input), "peak memory") == short_name(input, cell) + " against " +
                                                              short_name(input, input.cells[0]) +
                                                              ": unsupported");
}

TEST_CASE("a metric without spread lacks no interval", "[report]") {
  ReportInput input = test::read_sample();
  ComparisonRow row = input.results.comparisons.front();
  row.quantity = "peak_bytes";
  row.lo = row.hi = std::nullopt;
  row.status = RowStatus::kZeroVariance;
  row.verdict = Verdict::kBetter;
  input.results.comparisons.push_back(row);
  const auto state = [&] {
    const auto results = lint(input);
    return std::ranges::find(results, "intervals", &LintResult::rule)->state;
  };
  const LintState kept = state();

  input.results.comparisons.back().verdict = Verdict::kNotEnoughData;  // as of times
  CHECK(kept == LintState::kKept);
  CHECK(state() == LintState::kBroken);
}

TEST_CASE("the extreme of a metric is of a cell with a verdict", "[report]") {
  ReportInput input = test::read_sample();
  const auto add = [&](std::size_t cell, std::optional<double> value, Verdict verdict) {
    return peak_answer(input, cell, value, verdict);
  };
  add(1, std::nullopt, kNotEnoughData);
  CHECK(add(2, 0.5, kNoClaim) ==
        "not enough data in 1, no performance claim (oversubscribed) in 1 of 2 cells against their "
        "base");
  add(4, 1.2, kWorse);
  CHECK(add(5, 1.5, kWorse) ==
        "worse in 2, not enough data in 1, no performance claim (oversubscribed) in 1 of 4 cells "
        "against their base; closest to the base: 1.2x with 2 devices, batch 256");
  CHECK_THAT(add(6, 1.1, kNoDetectableDifference),
             Catch::Matchers::EndsWith(" (no significant difference)"));
}

TEST_CASE("cells that share the extreme of a metric are all named", "[report]") {
  ReportInput input = test::read_sample();
  const auto add = [&](std::size_t cell, double value) {
    return peak_answer(input, cell, value, kBetter);
  };
  add(1, 0.55);
  CHECK(add(2, 0.55) ==
        "better in both cells against their base; lowest 0.55x with 2 devices, batch 64, and with "
        "4 devices, batch 64");
  add(4, 0.9);
  CHECK_THAT(add(5, 0.55), Catch::Matchers::EndsWith(", and with 4 devices, batch 256"));
  CHECK(add(7, 0.55) == "better in all 5 cells against their base; lowest 0.55x in 4 cells");
}

TEST_CASE("cells that have no ratio of a metric are counted with the reason", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.metrics = {{.metric = "errors", .is_higher_better = false}};
  for (const std::size_t cell : {1, 2, 4}) {
    ComparisonRow row = input.results.comparisons.front();
    row.quantity = "errors";
    row.cell_id = input.cells[cell].id;
    row.value = row.lo = row.hi = std::nullopt;
    row.verdict = kNotEnoughData;
    if (cell != 4) {
      row.status = RowStatus::kInvalidInput;
      row.remark = "errors of the base is 0 in all trials";
    }
    input.results.comparisons.push_back(row);
  }
  input.make_index();

  CHECK(metric_answers(input).front().sentence ==
        "not enough data in 1 of 3 cells against their base; no ratio in 2 (errors of the base is "
        "0 in all trials)");
}

TEST_CASE("cells whose trials failed have no ratio of a metric, behind those that have",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto add = [&](std::size_t cell, std::optional<double> value, Verdict verdict) {
    return peak_answer(input, cell, value, verdict);
  };
  add(4, std::nullopt, kFailed);
  CHECK(add(5, std::nullopt, kFailed) == "no ratio in both cells against their base (failed)");
  CHECK(add(1, 1.0, kEquivalent) ==
        "equivalent in 1 of 3 cells against their base; no ratio in 2 (failed); closest to the "
        "base: 1x with 2 devices, batch 64");
  CHECK(add(2, 0.5, kBetter) ==
        "better in 1, equivalent in 1 of 4 cells against their base; no ratio in 2 (failed); "
        "lowest 0.5x with 4 devices, batch 64");
}

TEST_CASE("the soonest cell has no comparison with a base that failed", "[report]") {
  ReportInput input = test::read_sample();
  ComparisonRow lost;
  lost.cell_id = input.cells[1].id;
  lost.baseline_cell_id = input.cells[0].id;
  lost.quantity = "time_to:loss:0.5";
  lost.verdict = kBaseFailed;
  EstimateRow time;
  time.cell_id = lost.cell_id;
  time.metric = "time_to:loss:0.5";
  time.statistic = Statistic::kMedian;
  time.value = 1.0;
  time.n = time.n_planned = 3;
  EstimateRow reached = time;
  reached.metric = "reached:loss:0.5";
  reached.statistic = Statistic::kMean;
  input.declared.analysis.metrics = {};
  input.declared.analysis.time_to = {{.metric = "loss", .at_least = {}, .at_most = 0.5}};
  input.results = {};
  input.results.comparisons = {lost};
  input.results.estimates = {time, reached};
  input.make_index();

  CHECK(sentence(metric_answers(input), "loss 0.5") ==
        "soonest with 2 devices, batch 64, after 1000 ms in 3 of 3 trials; no comparison with "
        "1 device, batch 64 (base failed)");
}

TEST_CASE("a value may be reached soonest at any batch, whatever the study decides", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.metrics = {};
  input.declared.analysis.decide = {"devices"};
  input.declared.analysis.time_to = {{.metric = "loss", .at_least = {}, .at_most = 0.5}};
  input.results = {};
  for (const std::size_t cell : {1, 7}) {  // 2 devices at batch 64, at batch 1024
    EstimateRow& time = input.results.estimates.emplace_back();
    time.cell_id = input.cells[cell].id;
    time.metric = "time_to:loss:0.5";
    time.statistic = Statistic::kMedian;
    time.value = cell == 1 ? 2.0 : 1.0;
    time.n = time.n_planned = 3;
  }
  input.make_index();

  CHECK(sentence(metric_answers(input), "loss 0.5") ==
        "soonest with 2 devices, batch 1024, or 2 devices, batch 64 (not certain which)");
}

TEST_CASE("conditions that the line is about are not repeated in its names", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"strategy", cell.batch_global == 64 ? "ddp" : "fsdp", ValueKind::kText, true});
  }
  input.declared.analysis.metrics = {};
  input.declared.analysis.decide = {"devices"};
  input.declared.analysis.time_to = {{.metric = "loss", .at_least = {}, .at_most = 0.5}};
  input.results = {};
  const auto estimate = [&](std::size_t cell, const char* metric, double value) {
    EstimateRow& row = input.results.estimates.emplace_back();
    row.cell_id = input.cells[cell].id;
    row.metric = metric;
    row.statistic =
        std::string(metric).starts_with("time_to:") ? Statistic::kMedian : Statistic::kMean;
    row.value = value;
    row.n = row.n_planned = 3;
  };
  for (const std::size_t cell : {0, 1, 6, 7}) {  // 1 and 2 devices at batch 64, at batch 1024
    estimate(cell, "time_to:loss:0.5", cell % 2 == 0 ? 2.0 : 1.0);
    estimate(cell, "reached:loss:0.5", 1.0);
  }
  ComparisonRow& faster = input.results.comparisons.emplace_back();
  faster.quantity = "time_to:loss:0.5";
  faster.cell_id = input.cells[7].id;
  faster.baseline_cell_id = input.cells[6].id;
  faster.verdict = kFaster;
  input.index = {};
  input.make_index();

  const std::vector<Answer> all = metric_answers(input);
  CHECK(sentence(all, "loss 0.5, strategy ddp") ==
        "soonest with 2 devices, batch 64, or 1 device, batch 64 (not certain which)");
  CHECK(sentence(all, "loss 0.5, strategy fsdp") ==
        "soonest with 2 devices, batch 1024, after 1000 ms in 3 of 3 trials; faster than 1 device, "
        "batch 1024");
}

TEST_CASE("a metric's name in words keeps what a rate is per", "[report]") {
  ReportInput input;
  CHECK(metric_name(input, "collective_skew_time_s") == "collective skew time");
  CHECK(metric_name(input, "checkpoint_save_bytes_per_s") == "checkpoint save bytes per second");
  CHECK(metric_name(input, "busbw_bytes_per_s") == "bus bandwidth");
  CHECK(metric_name(input, "algbw_bytes_per_s") == "algorithm bandwidth");
  input.declared.workload = Workload::kCommand;
  CHECK(metric_name(input, "my_bytes_per_s") == "my_bytes_per_s");
}

TEST_CASE("a metric that is equivalent in every cell has no extreme, but a margin", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.metrics = {{.metric = "loss", .margin = 0.0001}};
  for (const std::size_t cell : {1, 2}) {
    ComparisonRow row = input.results.comparisons.front();
    row.quantity = "loss";
    row.cell_id = input.cells[cell].id;
    row.value = 1.0;
    row.margin = 0.0001;
    row.verdict = kEquivalent;
    input.results.comparisons.push_back(row);
  }
  input.make_index();

  CHECK(metric_answers(input).front().sentence ==
        "equivalent within 0.01 % in both cells against their base");
}
