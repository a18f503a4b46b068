// The CSV files: quoting, precision, and the trials behind each number.
#include "harness/report/files/csv.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/report/csv_reader.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

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

  CHECK(table.at(0, "counts") == "1");
  CHECK(table.at(1, "counts") == "0");
  REQUIRE(table.row_count() == input.trials.size());
  const std::size_t failed = table.find("state", "failed");
  CHECK(table.at(failed, "counts") == "0");
  CHECK(table.at(failed, "reason") == "rank 1 ended with code 1 | see log");
  CHECK(table.at(failed, "step_time_s_mean").empty());
  CHECK(std::stod(table.at(0, "step_time_s_mean")) == input.step_times.at(1).mean_s);
}

// docs/reference/files.md says of which view each file has rows.
TEST_CASE("columns of the CSV files have the names of the views", "[report]") {
  struct File {
    std::string view;
    std::set<std::string> more;  // columns that the view lacks
  };
  const File estimates{"metrics", {"trials"}};
  const File comparisons{"comparisons",
                         {"role",
                          "nodes",
                          "batch_global",
                          "batch_per_device",
                          "baseline_cell",
                          "equivalence_p",
                          "equivalence_p_adjusted",
                          "trials",
                          "baseline_trials"}};
  const std::map<std::string, File> described{
      {"results.csv", estimates},
      {"phases.csv", estimates},
      {"speedups.csv", comparisons},
      {"overhead.csv", comparisons},
      {"controls.csv", comparisons},
      {"metrics.csv", comparisons},
      {"thresholds.csv", {"thresholds", {"trials"}}},
      {"laws.csv", {"laws", {"trials"}}},
      {"law_choices.csv", {"law_choices", {}}},
      {"projections.csv", {"projections", {"trials"}}},
      {"targets.csv", {"targets", {"trials", "baseline_trials"}}},
      {"trials.csv", {"trials", {"counts", "flagged_trial", "flagged_steps"}}},
      {"search.csv", {"search", {"devices", "nodes", "batch_global", "batch_per_device"}}},
      {"volumes.csv", {"volumes", {"role"}}},
      {"published.csv", {"published", {}}}};
  ReportInput input = test::read_sample();
  input.declared.analysis.time_to = {{.metric = "loss", .at_least = {}, .at_most = 0.5}};
  SearchSettingRow setting;
  VolumeRow volume;
  setting.cell_id = volume.cell_id = input.cells[0].id;
  input.results.search_settings = {setting};
  input.results.volumes = {volume};
  input.results.law_choices = {LawChoiceRow()};
  input.results.projections = {ProjectionRow()};
  const std::string page = test::read_file(SCALESTUDY_SOURCE_DIR "/docs/reference/files.md");
  const Store store = Store::open_in_memory();

  const auto files = make_csv_files(input);
  CHECK(files.size() == described.size());
  for (const auto& [name, text] : files) {
    CAPTURE(name);
    const auto file = described.find(name);
    REQUIRE(file != described.end());
    CHECK(page.find("| `" + name + "` | `" + file->second.view + "` |") != std::string::npos);
    std::set<std::string> allowed = file->second.more;
    for (const auto& row :
         store.query("SELECT name FROM pragma_table_info(?1)", {file->second.view}).rows) {
      allowed.insert(std::get<std::string>(row.at(0)));
    }
    const std::vector<std::string> columns = test::parse_csv(text).at(0);
    for (const std::string& column : columns) {
      CAPTURE(column);
      CHECK(allowed.contains(column));
    }
  }
}

TEST_CASE("phases have a table of their own", "[report]") {
  const auto files = make_csv_files(test::read_sample());

  CHECK(test::CsvTable(files.at("phases.csv")).find("metric", "forward_time_s") == 1);
  CHECK_THROWS(test::CsvTable(files.at("results.csv")).find("metric", "forward_time_s"));
}

}  // namespace
