// Rules of reporting: where each fires and where it does not.
#include "harness/report/rules/lint.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "harness/report/input/cell_names.h"
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

TEST_CASE("base_case: a comparison without a ratio has a base if that was run", "[report]") {
  ReportInput input = test::read_sample();
  std::set<std::int64_t> bases;
  for (ComparisonRow& row : input.results.comparisons) {
    row.value.reset();  // as of one common block, or of none
    row.n = row.n_baseline = 0;
    bases.insert(row.baseline_cell_id);
  }
  CHECK(result_of(input, "base_case").state == LintState::kKept);

  for (TrialRow& trial : input.trials) {
    trial.state = bases.contains(trial.cell_id) ? TrialState::kFailed : trial.state;
  }
  input.make_index();
  CHECK(result_of(input, "base_case").state == LintState::kBroken);
}

TEST_CASE("trials: four break it, five do not", "[report]") {
  ReportInput input = test::read_sample();
  set_trials(input, 5);
  CHECK(result_of(input, "trials").state == LintState::kKept);

  step_of_first_cell(input).n = 4;
  CHECK_THAT(result_of(input, "trials").finding, Contains("(4)"));
  CHECK_THAT(result_of(input, "trials").advice, Contains("run more"));
}

TEST_CASE("trials: more of them are no advice where none counts", "[report]") {
  ReportInput input = test::read_sample();
  input.results = {};
  for (TrialRow& trial : input.trials) {
    trial.state = TrialState::kFailed;
  }
  input.make_index();
  CHECK_THAT(result_of(input, "trials").advice,
             Contains("no trial of such a cell counts") && !Contains("run more"));

  for (TrialRow& trial : input.trials) {
    trial.state = TrialState::kSkipped;
    trial.skip_reason = SkipReason::kPruned;
  }
  input.make_index();
  CHECK_THAT(result_of(input, "trials").advice, Contains("run more"));

  // Failures of other cells say nothing about a cell that was not run.
  for (TrialRow& trial : input.trials) {
    trial.state = TrialState::kPlanned;
    trial.skip_reason.reset();
  }
  input.trials.front().state = TrialState::kFailed;
  CHECK_THAT(result_of(input, "trials").advice, Contains("run the study"));

  input.trials.clear();
  input.make_index();
  CHECK(result_of(input, "trials").advice == "run the study");
}

TEST_CASE("trials: logs that are missing are imported, not run", "[report]") {
  ReportInput input = test::read_sample();
  set_trials(input, 4);
  for (TrialRow& trial : input.trials) {
    trial.provenance = TrialProvenance::kImported;
  }
  CHECK(result_of(input, "trials").advice == "import the logs of more runs");

  EstimateRow& step = step_of_first_cell(input);
  step.n = 0;
  std::erase_if(input.trials, [&](const TrialRow& trial) { return trial.cell_id == step.cell_id; });
  input.make_index();
  CHECK_THAT(
      result_of(input, "trials").advice,
      Contains("for " + cell_name(input, input.cells[0]) + " (0): import the missing logs") &&
          Contains(" (4) and 7 more: import the logs of more runs") && !Contains("run the study"));
}

TEST_CASE("trials: each advice names its cells where they need different ones", "[report]") {
  ReportInput input = test::read_sample();
  set_trials(input, 4);
  EstimateRow& step = step_of_first_cell(input);
  step.n = 0;
  for (TrialRow& trial : input.trials) {
    trial.state = trial.cell_id == step.cell_id ? TrialState::kFailed : trial.state;
  }
  input.make_index();
  const std::string first = cell_name(input, input.cells[0]);
  CHECK_THAT(result_of(input, "trials").advice,
             Contains("for " + first + " (0): no trial of such a cell counts") &&
                 Contains("(4) and ") && Contains(" more: run more"));
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

  // Bandwidths of a collective follow from mean times, unless their medians are asked for.
  input.declared.workload = Workload::kCollective;
  input.results.estimates.back().unit = "bytes/s";
  input.results.estimates.back().metric = "busbw_bytes_per_s";
  input.declared.analysis.metrics = {{.metric = "busbw_bytes_per_s"}};
  CHECK(result_of(input, "ratios").state == LintState::kKept);
  input.declared.analysis.metrics.front().by = TrialStatistic::kP50;
  CHECK(result_of(input, "ratios").state == LintState::kBroken);
  CHECK(result_of(input, "ratios").advice == "leave out `by: p50`: means follow from the times");
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
  CHECK_THAT(result_of(without, "controls").advice, Contains("add aa") && !Contains("noop"));

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
  CHECK_THAT(result_of(input, "controls").advice, Contains("add noop") && !Contains("aa"));

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

  input.results.thresholds[0].status = RowStatus::kAllTied;  // the level itself at every value
  CHECK(result_of(input, "thresholds").state == LintState::kKept);

  input.results.thresholds[0].status = RowStatus::kUnresolved;
  CHECK(result_of(input, "thresholds").finding == "not resolved: speedup along global batch");
  CHECK_THAT(result_of(input, "thresholds").advice, Contains("add values"));

  input.results.thresholds[0].status = RowStatus::kNotApplicable;
  CHECK_THAT(result_of(input, "thresholds").finding, Contains(": setting not applied"));
  CHECK_THAT(result_of(input, "thresholds").advice, !Contains("add values"));

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

// The sample with two copies of its first cell that differ in that variable alone.
static ReportInput with_variable(const std::string& name) {
  ReportInput input = test::read_sample();
  const CellRow first = input.cells[0];
  const EstimateRow step = step_of_first_cell(input);
  for (const char* value : {"Ring", "Tree"}) {
    CellRow cell = first;
    cell.id = static_cast<unsigned char>(value[0]);
    cell.parameters.push_back(
        {.name = "env." + name, .value = value, .kind = ValueKind::kText, .varied = true});
    input.cells.push_back(cell);
    EstimateRow row = step;
    row.cell_id = cell.id;
    input.results.estimates.push_back(row);
    TrialRow trial = *input.last_attempts().front();
    trial.id = 1000 + value[0];
    trial.cell_id = cell.id;
    trial.state = TrialState::kOk;
    input.trials.push_back(trial);
  }
  input.make_index();
  return input;
}

TEST_CASE("knobs: a variable without proof whose intervals overlap breaks it", "[report]") {
  CHECK(result_of(test::read_sample(), "knobs").state == LintState::kNotApplicable);
  ReportInput input = with_variable("NCCL_ALGO");
  CHECK(result_of(input, "knobs").finding ==
        "varied, but not shown to be applied: env.NCCL_ALGO (unconfirmed, and intervals overlap)");

  EstimateRow& slower = input.results.estimates.back();
  slower.value = *slower.value * 3.0;
  slower.lo = *slower.value - 1e-6;
  slower.hi = *slower.value + 1e-6;
  CHECK(result_of(input, "knobs").state == LintState::kKept);
}

TEST_CASE("knobs: proof needs no effect, and no effect makes up for the opposite", "[report]") {
  ReportInput input = with_variable("OMPI_MCA_btl");
  const auto found = [&](double ring, double tree) {
    input.settings[1000 + 'R']["OMPI_MCA_btl"] = ring;
    input.settings[1000 + 'T']["OMPI_MCA_btl"] = tree;
    return result_of(input, "knobs");
  };
  CHECK(found(1.0, 1.0).state == LintState::kKept);
  CHECK_THAT(found(1.0, 0.0).finding, Contains("env.OMPI_MCA_btl (overridden)"));
  CHECK_THAT(found(-1.0, 0.0).finding, Contains("env.OMPI_MCA_btl (not seen)"));
  EstimateRow& slower = input.results.estimates.back();
  slower.lo = *slower.value * 3.0;
  slower.hi = *slower.value * 4.0;
  CHECK_THAT(found(1.0, 0.0).advice,
             Contains("correct its name or value") &&
                 Contains("`scalestudy logs 1084 --stream protocol` says why"));  // 1000 + 'T'
}

TEST_CASE("knobs: advice is about the library that the variable is of", "[report]") {
  ReportInput input = with_variable("NCCL_ALGO");
  const auto advice = [&] { return result_of(input, "knobs").advice; };
  CHECK_THAT(advice(), Contains("let the program print") && !Contains("NCCL"));
  input.declared.workload = Workload::kCommand;
  CHECK_THAT(advice(), Contains("validity: {confirm: always}"));
  input.declared.validity.confirm = Confirm::kAlways;
  CHECK_THAT(advice(), Contains("let the program print"));
  input = with_variable("OMPI_MCA_btl");
  input.declared.workload = Workload::kCommand;
  CHECK_THAT(advice(), Contains("let the program print") && !Contains("NCCL"));
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
