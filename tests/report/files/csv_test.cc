// The CSV files: quoting, precision, and the trials behind each number.
#include "harness/report/files/csv.h"

#include <string>
#include <vector>

#include "tests/report/csv_reader.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

TEST_CASE("hostile names read back from the CSV as they were", "[report]") {
  const ReportInput input = test::read_sample({.batch_label_extra = test::kHostile});

  const test::CsvTable table(make_csv_files(input).at("results.csv"));

  CHECK(table.at(0, "label") == input.cell(input.results.estimates[0].cell_id).label);
}

TEST_CASE("estimates read back to the same bits", "[report]") {
  const ReportInput input = test::read_sample();

  const test::CsvTable table(make_csv_files(input).at("results.csv"));

  CHECK(std::stod(table.at(0, "value")) == *input.results.estimates[0].value);
  CHECK(std::stod(table.at(0, "lo")) == *input.results.estimates[0].lo);
}

TEST_CASE("a number that does not exist is an empty field", "[report]") {
  const ReportInput input = test::read_sample();

  const test::CsvTable table(make_csv_files(input).at("results.csv"));

  const std::size_t row = table.find("statistic", "p95");
  CHECK(table.at(row, "value").empty());
  CHECK(table.at(row, "status") == "unattainable");
}

// The plan has 11 cells a block, so cell 1 has the trials 1, 12 and 23; trial 1 is flagged.
TEST_CASE("an estimate names its trials and a unflagged one leaves out the flagged", "[report]") {
  const test::CsvTable table(make_csv_files(test::read_sample()).at("results.csv"));

  CHECK(table.at(0, "trials") == "1 12 23");
  CHECK(table.at(table.find("variant", "unflagged"), "trials") == "12 23");
}

// Trial 3 failed and was retried as trial 34.
TEST_CASE("a retried trial counts with its last attempt", "[report]") {
  const ReportInput input = test::read_sample();

  CHECK(input.used_trials(input.cells[2].id) == std::vector<std::int64_t>{14, 25, 34});
}

TEST_CASE("comparisons, targets and curves name the trials that analysis used", "[report]") {
  ReportInput input = test::read_sample();
  input.results.comparisons[0].trials = {2, 24};
  input.results.comparisons[0].baseline_trials = {1, 23};
  input.results.thresholds[0].trials = {4, 5, 26};
  input.results.laws[0].trials = {7, 8, 9};
  const auto files = make_csv_files(input);

  for (const char* name : {"speedups.csv", "targets.csv"}) {
    CHECK(test::CsvTable(files.at(name)).at(0, "trials") == "2 24");
    CHECK(test::CsvTable(files.at(name)).at(0, "baseline_trials") == "1 23");
  }
  CHECK(test::CsvTable(files.at("thresholds.csv")).at(0, "trials") == "4 5 26");
  CHECK(test::CsvTable(files.at("laws.csv")).at(0, "trials") == "7 8 9");

  // A target on a metric itself rests on the trials of the mean, not of the ratio to the base.
  TargetResultRow& target = input.results.targets[0];
  target.metric = input.results.comparisons[0].quantity = "latency";
  EstimateRow mean;
  mean.cell_id = *target.cell_id;
  mean.metric = "latency";
  mean.trials = {2, 13, 24};
  input.results.estimates.push_back(mean);
  input.make_index();
  const test::CsvTable targets(make_csv_files(input).at("targets.csv"));
  CHECK(targets.at(0, "trials") == "2 13 24");
  CHECK(targets.at(0, "baseline_trials").empty());
}

TEST_CASE("verdicts on times to a value are in the table of metrics", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.metrics.clear();
  input.declared.analysis.time_to = {{.metric = "loss", .at_least = {}, .at_most = 0.5}};
  input.results.comparisons[0].quantity = "time_to:loss:0.5";

  const test::CsvTable table(make_csv_files(input).at("metrics.csv"));

  CHECK(table.at(0, "quantity") == "time_to:loss:0.5");
}

TEST_CASE("every attempt has a row in the table of trials", "[report]") {
  ReportInput input = test::read_sample();
  REQUIRE(input.trials.at(1).state == TrialState::kOk);
  input.trials[1].part = SearchPart::kRace;  // such trials only choose

  const test::CsvTable table(make_csv_files(input).at("trials.csv"));

  CHECK(table.at(0, "counts") == "true");
  CHECK(table.at(1, "counts") == "false");
  REQUIRE(table.row_count() == input.trials.size());
  const std::size_t failed = table.find("state", "failed");
  CHECK(table.at(failed, "counts") == "false");
  CHECK(table.at(failed, "reason") == "rank 1 ended with code 1 | see log");
  CHECK(table.at(failed, "step_time_s_mean").empty());
  CHECK(std::stod(table.at(0, "step_time_s_mean")) == input.step_times.at(1).mean_s);
}

TEST_CASE("phases have a table of their own", "[report]") {
  const auto files = make_csv_files(test::read_sample());

  CHECK(test::CsvTable(files.at("phases.csv")).find("metric", "forward_time_s") == 1);
  CHECK_THROWS(test::CsvTable(files.at("results.csv")).find("metric", "forward_time_s"));
}

}  // namespace
