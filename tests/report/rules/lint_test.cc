// Rules of reporting: where each fires and where it does not.
#include "harness/report/rules/lint.h"

#include <algorithm>

#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Contains;

LintResult result_of(const ReportInput& input, const std::string& rule) {
  for (const LintResult& result : lint(input)) {
    if (result.rule == rule) {
      CHECK_FALSE(result.advice.empty());
      CHECK(result.finding.empty() == (result.state != LintState::kBroken));
      return result;
    }
  }
  FAIL("no rule " << rule);
  return {};
}

EstimateRow& step_of_first_cell(ReportInput& input) {
  return *std::find_if(
      input.results.estimates.begin(), input.results.estimates.end(), [&](const EstimateRow& row) {
        return row.metric == "step_time_s" && row.statistic == Statistic::kMean &&
               row.variant == Variant::kAll && row.cell_id == input.cells[0].id;
      });
}

// Every measured cell with as many trials.
void set_trials(ReportInput& input, std::int64_t n) {
  for (EstimateRow& row : input.results.estimates) {
    row.n = n;
  }
}

}  // namespace

TEST_CASE("base_case: a cell that is neither compared nor a base breaks it", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(result_of(input, "base_case").state == LintState::kKept);

  input.results.comparisons.clear();
  CHECK(result_of(input, "base_case").state == LintState::kBroken);
}

TEST_CASE("trials: four break it, five do not", "[report]") {
  ReportInput input = test::read_sample();
  set_trials(input, 5);
  CHECK(result_of(input, "trials").state == LintState::kKept);

  step_of_first_cell(input).n = 4;
  CHECK_THAT(result_of(input, "trials").finding, Contains("(4)"));
}

TEST_CASE("intervals: a mean or a comparison without one breaks it", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(result_of(input, "intervals").state == LintState::kKept);

  ReportInput without = input;
  step_of_first_cell(without).lo.reset();
  CHECK_THAT(result_of(without, "intervals").finding, Contains("step time of"));

  input.results.comparisons.front().hi.reset();
  CHECK(result_of(input, "intervals").state == LintState::kBroken);
}

TEST_CASE("ratios: a rate or a ratio as a metric of the study breaks it, a count does not",
          "[report]") {
  ReportInput input = test::read_sample();
  CHECK(result_of(input, "ratios").state == LintState::kNotApplicable);

  EstimateRow row = step_of_first_cell(input);
  row.metric = "compressed";
  row.unit = "bytes";
  input.results.estimates.push_back(row);
  input.declared.analysis.metrics = {{.metric = "compressed"}};
  CHECK(result_of(input, "ratios").state == LintState::kKept);

  input.results.estimates.back().unit = "images/s";
  CHECK_THAT(result_of(input, "ratios").finding, Contains("compressed (images/s)"));
  input.results.estimates.back().unit = "1";
  input.results.estimates.back().metric = "my_speedup";
  input.declared.analysis.metrics = {{.metric = "my_speedup"}};
  CHECK(result_of(input, "ratios").state == LintState::kBroken);
}

TEST_CASE("sessions and versions: one session breaks the first, two versions the second",
          "[report]") {
  ReportInput input = test::read_sample();
  for (TrialRow& trial : input.trials) {
    trial.session_id = 1;
  }
  input.sessions.resize(1);
  input.sessions[0].row.id = 1;
  CHECK(result_of(input, "sessions").state == LintState::kBroken);
  CHECK(result_of(input, "versions").state == LintState::kNotApplicable);

  input.sessions.push_back(input.sessions[0]);
  input.sessions[1].row.id = 2;
  std::find_if(input.trials.begin(), input.trials.end(), [](const TrialRow& trial) {
    return trial.state == TrialState::kOk;
  })->session_id = 2;
  CHECK(result_of(input, "sessions").state == LintState::kKept);
  CHECK(result_of(input, "versions").state == LintState::kKept);

  input.sessions[0].environment.push_back({.name = "version.torch", .value = "2.1"});
  input.sessions[1].environment.push_back({.name = "version.torch", .value = "2.2"});
  CHECK_THAT(result_of(input, "versions").finding, Contains("version.torch (2)"));
}

TEST_CASE("controls: missing ones break it, unless there is one device", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(result_of(input, "controls").state == LintState::kKept);

  ReportInput without = input;
  for (CellRow& cell : without.cells) {
    if (cell.role == CellRole::kAa) {
      cell.excluded_reason = "no longer in the study";
    }
  }
  CHECK_THAT(result_of(without, "controls").finding, Contains("missing: aa"));

  for (CellRow& cell : without.cells) {
    cell.devices = 1;
  }
  CHECK(result_of(without, "controls").state == LintState::kNotApplicable);
}

// They compute with what the stages before and behind them send.
TEST_CASE("controls: stages of a pipeline need none without communication", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    if (cell.role == CellRole::kNoop) {
      cell.excluded_reason = "no longer in the study";
    }
  }
  CHECK(can_run_without_communication(input));
  CHECK_THAT(result_of(input, "controls").finding, Contains("missing: noop"));

  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({.name = "strategy", .value = "pipeline"});
  }
  CHECK_FALSE(can_run_without_communication(input));
  CHECK(result_of(input, "controls").state == LintState::kKept);
}

TEST_CASE("thresholds: an unresolved one breaks it", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.thresholds = {{.metric = "speedup", .along = "batch_global"}};
  ThresholdRow row;
  row.metric = "speedup";
  row.along = "batch_global";
  row.status = RowStatus::kCrossed;
  input.results.thresholds = {row};
  CHECK(result_of(input, "thresholds").state == LintState::kKept);

  input.results.thresholds[0].status = RowStatus::kUnresolved;
  CHECK_THAT(result_of(input, "thresholds").finding,
             Contains("speedup along global batch: unresolved"));

  input.declared.analysis.thresholds.clear();
  CHECK(result_of(input, "thresholds").state == LintState::kNotApplicable);
}

TEST_CASE("oversubscription: a cell with more ranks than cores breaks it", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    cell.oversubscribed = false;
  }
  CHECK(result_of(input, "oversubscription").state == LintState::kKept);

  input.cells[0].oversubscribed = true;
  CHECK(result_of(input, "oversubscription").state == LintState::kBroken);
}

TEST_CASE("knobs: a variable without a visible effect breaks it", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(result_of(input, "knobs").state == LintState::kNotApplicable);

  // Two copies of one cell that differ in the variable alone.
  const CellRow first = input.cells[0];
  const EstimateRow step = step_of_first_cell(input);
  for (const char* value : {"Ring", "Tree"}) {
    CellRow cell = first;
    cell.id = value[0];
    cell.parameters.push_back(
        {.name = "env.NCCL_ALGO", .value = value, .kind = ValueKind::kText, .varied = true});
    input.cells.push_back(cell);
    EstimateRow row = step;
    row.cell_id = cell.id;
    input.results.estimates.push_back(row);
  }
  input.make_index();
  CHECK_THAT(result_of(input, "knobs").finding, Contains("env.NCCL_ALGO"));

  EstimateRow& slower = input.results.estimates.back();
  slower.value = *slower.value * 3.0;
  slower.lo = *slower.value - 1e-6;
  slower.hi = *slower.value + 1e-6;
  CHECK(result_of(input, "knobs").state == LintState::kKept);
}

TEST_CASE("prices: one without source and date breaks it, a study without cost does not",
          "[report]") {
  ReportInput input = test::read_sample();
  CHECK(result_of(input, "prices").finding ==
        "without source or date: spot; energy; storage and 1 more");

  input.declared.cost->others.clear();
  input.declared.cost->lines.clear();
  input.declared.cost->investments.clear();
  input.declared.cost->energy.reset();
  CHECK(result_of(input, "prices").state == LintState::kKept);
  input.declared.cost.reset();
  CHECK(result_of(input, "prices").state == LintState::kNotApplicable);
}
