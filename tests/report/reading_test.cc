// What sceptical readers of the five kinds of report stumbled over, line by line.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/break_evens.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "tests/report/figures/drawn_figures.h"
#include "tests/report/sample_study.h"
#include "tests/report/two_strategies.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::kTwoStrategies;
using test::run_text;

namespace {

// The lines that say "measured" of numbers, without what is said of the protocol or denied.
std::string measured_lines(const std::string& page) {
  std::string found;
  std::istringstream lines(page.substr(0, page.find("## How it was measured")));
  for (std::string line; std::getline(lines, line);) {
    for (const char* said : {"#how-it-was-measured",
                             "#measured",
                             "[Measured]",
                             "## Measured",
                             "not measured",
                             "Not measured",
                             "steps of measured",
                             "measured_time"}) {
      for (std::size_t at = line.find(said); at != std::string::npos; at = line.find(said)) {
        line.erase(at, std::string(said).size());
      }
    }
    found += line.find("easured") == std::string::npos ? "" : line + "\n";
  }
  return found;
}

// Texts of a column of the first table of that name.
std::vector<std::string> column(const ReportInput& input, const char* table, const char* tag) {
  const View view = build_view(input, {});
  const auto& tables = std::get<View::List>(view.values().at(table));
  std::vector<std::string> texts;
  for (const View& row : std::get<View::List>(tables.at(0).values().at("rows"))) {
    texts.push_back(std::get<std::string>(row.values().at(tag)));
  }
  return texts;
}

}  // namespace

TEST_CASE("a pair is not placed by what is the same in all cells", "[report]") {
  const ReportInput input = run_text(kTwoStrategies);  // all on one node
  for (const Pair& pair : pairs_of(input)) {
    CHECK_THAT(pair.where, !Contains("1 node"));
  }
  CHECK_THAT(test::render_kind(input, "scaling"), !Contains(" at 1 node"));
}

TEST_CASE("p values are said to allow for comparisons that no row has, too", "[report]") {
  CHECK_THAT(test::render_kind(test::read_sample(), "scaling"),
             Contains("p is adjusted for all comparisons of this quantity: those below, those that "
                      "choose the best cell, and those that `refine` may add. Intervals are not "
                      "adjusted: if one leaves out 1 and "));
}

TEST_CASE("a warning that does not fit is named by its kind and told below", "[report]") {
  ReportInput input = test::read_sample();
  input.results.threats = {
      {ThreatKind::kChangedMachine, Severity::kWarning, std::string(900, 'x')}};
  const auto screen = [&] { return test::first_screen(test::render_kind(input, "scaling")); };

  CHECK_THAT(screen(), Contains("\n- Warnings: [changed machine](#threats-that-matter)."));

  input.results.threats.push_back({ThreatKind::kFewTrials, Severity::kWarning, "3 trials a cell"});
  CHECK_THAT(screen(),
             Contains("\n- 3 trials a cell. [What to do](#warning-few-trials).\n- Further "
                      "warnings: [changed machine](#threats-that-matter)."));
  CHECK(test::length(screen()) <= test::kFirstScreen);
}

TEST_CASE("no warning stands before a graver one that does not fit", "[report]") {
  ReportInput input = test::read_sample();
  input.results.threats = {
      {ThreatKind::kFewTrials, Severity::kWarning, "3 trials a cell"},
      {ThreatKind::kImpossibleTimes, Severity::kWarning, std::string(900, 'x')}};

  CHECK_THAT(test::first_screen(test::render_kind(input, "scaling")),
             Contains("\n- Warnings: [impossible times, few trials](#threats-that-matter).") &&
                 !Contains("3 trials a cell"));
}

// The sample five times, told apart by a setting: 2 and 4 devices are ten series of three batches.
ReportInput five_settings() {
  ReportInput input = test::read_sample();
  const std::vector<CellRow> cells = input.cells;
  const std::vector<ComparisonRow> comparisons = input.results.comparisons;
  for (std::int64_t i = 1; i < 5; ++i) {
    for (CellRow cell : cells) {
      cell.id += 1000 * i;
      cell.parameters.push_back({"setting", std::to_string(i), ValueKind::kInteger, true});
      input.cells.push_back(cell);
    }
    for (ComparisonRow row : comparisons) {
      row.cell_id += 1000 * i;
      row.baseline_cell_id += 1000 * i;
      input.results.comparisons.push_back(row);
    }
  }
  input.make_index();
  return input;
}

TEST_CASE("a figure of some speedups says nothing of the others", "[report]") {
  const ReportInput input = five_settings();

  for (const char* name : {"speedup", "speedup_2"}) {
    CHECK_THAT(test::alt_of(input, name), Contains("Speedup of 5 settings against global batch, "));
  }
}

TEST_CASE("settings are told over all devices and batches, and this is said", "[report]") {
  CHECK_THAT(test::render_kind(five_settings(), "scaling"),
             Contains("Lowest to highest estimate over all tested numbers of devices and batch "
                      "sizes."));
}

TEST_CASE("a heading of calculated numbers says if there are none", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(test::render_kind(input, "projection"), !Contains("declares none of these"));

  input.declared.cost.reset();
  input.results.laws.clear();
  input.results.projections.clear();
  input.results.volumes.clear();
  std::erase_if(input.results.estimates, [](const EstimateRow& row) {
    return row.metric.find("cost") != std::string::npos;
  });
  input.index = {};
  input.make_index();
  CHECK_THAT(test::render_kind(input, "projection"),
             Contains("## Calculated\n\nWhat follows is calculated: ") &&
                 Contains("contains such a number. This study declares none of these.\n"));
}

// Whether the curve rises or falls, a sentence that says "reach" is wrong of one of them.
TEST_CASE("a crossing that is not resolved says on which side it may lie", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow& row = input.results.thresholds.front();
  row.status = RowStatus::kUnresolved;
  row.bracket_lo = std::nullopt;
  row.estimate = row.lo = row.hi = std::nullopt;

  CHECK(break_evens(input).front().text ==
        "speedup may cross 1x at or below global batch 256 (2 devices)");

  ThresholdRow& open = input.results.thresholds.front();
  open.bracket_hi = std::nullopt;
  CHECK(break_evens(input).front().text == "speedup may cross 1x along global batch (2 devices)");
  open.status = RowStatus::kAllTied;
  open.tested_values = 3;
  CHECK(break_evens(input).front().text ==
        "speedup is exactly 1x at all 3 compared values of global batch (2 devices)");
  open.status = RowStatus::kNotApplicable;
  CHECK(break_evens(input).front().text ==
        "speedup against 1x along global batch: none, as the setting was not applied (2 devices)");
}

TEST_CASE("curves are called by the study's labels", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.labels = {{"env.NCCL_ALGO", "algorithm"}, {"ALGO", "wrong"}};
  CHECK(curve_label(input, "devices=2 env.NCCL_ALGO=Ring") == "2 devices, algorithm=Ring");
  CHECK(curve_label(input, "num_devices=2") == "num_devices=2");
  CHECK(curve_label(input, "").empty());

  ThresholdRow& row = input.results.thresholds.front();
  row.group_label = "env.NCCL_ALGO=Ring";
  const View view = build_view(input, {});
  const auto& table = std::get<View::List>(view.values().at("thresholds")).front();
  const View first = std::get<View::List>(table.values().at("rows")).front();
  CHECK(std::get<std::string>(first.values().at("group")) == "algorithm=Ring");
}

TEST_CASE("a line that begins with a name has a capital, but the user's own words stay as typed",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto is_kept = [&](const std::string& line) { return begin_line(input, line) == line; };
  CHECK(begin_line(input, "bucket 1 MiB against bucket 25 MiB") ==
        "Bucket 1 MiB against bucket 25 MiB");

  input.cells.front().parameters = {{"strategy", "ddp", ValueKind::kText, true}};
  input.make_index();
  CHECK(begin_line(input, "strategy ddp") == "Strategy ddp");
  input.declared.labels = {{"strategy", "plan"}};
  input.make_index();
  CHECK(is_kept("plan=ddp"));

  input.declared.workload = Workload::kCommand;
  input.cells.front().parameters = {{"command", "sleep 0.6", ValueKind::kText, true},
                                    {"dtype", "float32", ValueKind::kText, true},
                                    {"wait_ms", "5", ValueKind::kReal, true},
                                    {"batch_global", "64", ValueKind::kInteger, true},
                                    {"side", "here", ValueKind::kText, true}};
  input.declared.extract.resize(3);
  input.declared.extract[0].metric = "perplexity";
  input.declared.extract[1].metric = "throughput";
  input.declared.extract[2].metric = "speed";
  // A command that writes the protocol itself needs no rules for its metrics.
  input.declared.analysis.metrics = {{.metric = "reward"}};
  input.declared.analysis.time_to = {{.metric = "my_loss", .at_least = {}, .at_most = 0.5}};
  input.make_index();
  for (const char* own : {"sleep 0.6 against sleep 0.05",
                          "dtype float32 against dtype float64",
                          "wait 5 ms against wait 9 ms",
                          "perplexity, lower is better",
                          "speed (m/s), higher is better",
                          "speed",
                          "reward, higher is better",
                          "my loss 0.5"}) {
    CAPTURE(own);
    CHECK(is_kept(own));
  }
  CHECK(begin_line(input, "speedup reaches 1x at batch 64") == "Speedup reaches 1x at batch 64");
  CHECK(begin_line(input, "batch 64, dtype float32") == "Batch 64, dtype float32");
  CHECK(begin_line(input, "side here against side old") == "Side here against side old");
  CHECK(begin_line(input, "throughput, higher is better") == "Throughput, higher is better");
}

TEST_CASE("no trial of a race counts", "[report]") {
  ReportInput input = test::read_sample();
  const std::int64_t cell = input.cells.front().id;
  const std::vector<std::int64_t> all = input.used_trials(cell);
  REQUIRE(all.size() == 3);
  for (TrialRow& trial : input.trials) {
    trial.part = trial.id == all[0] ? SearchPart::kRace : SearchPart::kNone;
  }
  input.index = {};
  input.make_index();

  CHECK(input.used_trials(cell) == std::vector{all[1], all[2]});
}

// The longest median makes it s: all means are below 10 s.
TEST_CASE("step times have one unit in all tables of a report", "[report]") {
  ReportInput input = test::read_sample();
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "step_time_s" && row.statistic == Statistic::kP50) {
      row.value = 10.5;
      row.lo = row.hi = std::nullopt;
    }
  }
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("| Step time (s) |") && !Contains("Step time (ms)"));
}

TEST_CASE("a law's time or rate has one unit, and a missing projection is named", "[report]") {
  ReportInput input = test::read_sample();
  LawRow time = input.results.laws.front();
  time.parameter = "t1_s";
  time.unit = "s";
  time.value = 0.0277;
  time.lo = time.hi = std::nullopt;
  input.results.laws.push_back(time);
  LawRow rate = time;
  rate.parameter = "bandwidth_bytes_per_s";
  rate.unit = "bytes/s";
  rate.value = 2.5e9;
  input.results.laws.push_back(rate);
  const std::string page = test::render_kind(input, "projection");

  CHECK_THAT(page, Contains("| step time of 1 device (ms) | 27.7 |"));
  CHECK_THAT(page, Contains("| bandwidth (GB/s) | 2.5 |"));
  CHECK_THAT(page, Contains("- **a projection to more devices:** analysis.projection"));
}

// In percent, as in the sentences: 0.08 [0.06, 0.1], and of 0 the upper end.
TEST_CASE("the table of laws names its parameters in words", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(test::render_kind(input, "projection"),
             Contains("| Amdahl | batch 1024 | serial fraction (%) | 8.0 [6.0, 10.0] |"));

  input.results.laws.front().value = 0.0;
  input.results.laws.front().hi = 0.012;
  CHECK_THAT(test::render_kind(input, "projection"), Contains("| serial fraction (%) | ≤ 1.2 |"));
}

TEST_CASE("communication of a single device is explained", "[report]") {
  ReportInput input = test::read_sample();
  const std::string before = test::render_kind(input, "scaling");
  EstimateRow share = input.results.estimates.front();
  share.metric = "exposed_communication_share";
  share.unit = "1";
  share.value = 0.12;
  std::erase_if(input.results.estimates, [&](const EstimateRow& row) {
    return row.metric == share.metric && row.cell_id == share.cell_id;
  });
  input.results.estimates.push_back(share);
  input.make_index();
  REQUIRE(input.cell(share.cell_id).devices == 1);

  CHECK_THAT(test::render_kind(input, "scaling"), Contains("One device never waits for others"));
  CHECK_THAT(before, !Contains("One device never waits for others"));
  input.declared.workload = Workload::kCommand;  // it may print anything
  CHECK_THAT(test::render_kind(input, "scaling"), !Contains("One device never waits for others"));
}

TEST_CASE("no sentence of an emulated report says that its numbers were measured", "[report]") {
  std::string text = kTwoStrategies;
  const std::string parameters = "parameters: {backend: cpu, model: resnet50-cifar}";
  text.replace(text.find(parameters),
               parameters.size(),
               "parameters: {backend: cpu, compute: declared, declared_sample_ms: 2.5, model: "
               "lstm-332k}");
  text.replace(text.find("  margin"), 0, "  laws: [gustafson]\n");
  const ReportInput input = run_text(text);
  for (const char* kind : {"scaling", "second-device", "notes", "platform", "projection"}) {
    INFO(kind);
    const std::string page = test::render_kind(input, kind);
    CHECK_THAT(page, Contains("(emulated, not measured"));
    CHECK(measured_lines(page).empty());
    CHECK_THAT(page, Contains("- **Emulated:** the ranks of its trials slept"));
  }
  CHECK_THAT(measured_lines(test::render_kind(run_text(kTwoStrategies), "scaling")),
             Contains("The base is the measured cell"));
}

TEST_CASE("an investment never pays only where the interval says so", "[report]") {
  ReportInput input = test::read_sample();
  const auto said = [&](std::optional<double> speedup_hi) {
    for (EstimateRow& row : input.results.estimates) {
      if (row.metric.starts_with("pays_after_hours")) {
        row.value = row.lo = row.hi = std::nullopt;
      }
    }
    for (ComparisonRow& row : input.results.comparisons) {
      row.hi = speedup_hi;
    }
    return column(input, "investments", "pays_after").front();
  };
  CHECK(said(std::nullopt) == "not shown to pay");  // of one trial
  CHECK(said(1.01) == "not shown to pay");
  CHECK(said(0.99) == "never");
}

TEST_CASE("intervals are over what their method took as the unit", "[report]") {
  ReportInput input = test::read_sample();
  const auto said = [&] {
    const std::string page = test::render_kind(input, "scaling");
    const std::string begin = "are 95 % confidence intervals over ";
    const std::size_t at = page.find(begin) + begin.size();
    return page.substr(at, page.find('\n', at) - at);
  };
  CHECK(said() == "trials: separate launches of the program.");

  for (EstimateRow& row : input.results.estimates) {
    const bool is_control = input.cell(row.cell_id).role != CellRole::kMeasured;
    row.method = is_control ? "mean_ci_t_within" : row.method;
  }
  CHECK(said() == "trials: separate launches of the program.");

  for (EstimateRow& row : input.results.estimates) {
    const bool is_first = row.cell_id == input.cells.front().id;
    row.method = is_first && row.metric == "step_time_s" && row.statistic == Statistic::kMean
                     ? "mean_ci_t_sessions"
                     : row.method;
  }
  CHECK(said() ==
        "trials: separate launches of the program. Those of 1 device, batch 64 are over sessions, "
        "each by its mean.");

  for (EstimateRow& row : input.results.estimates) {
    row.method = "mean_ci_t_sessions";
  }
  CHECK(said() == "sessions, each by its mean.");
  CHECK_THAT(test::render_kind(input, "notes"),
             Contains("brackets are 95 % confidence intervals over sessions, each by its mean. "));
}

TEST_CASE("what to use is printed, however long it is", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.search.emplace();
  SearchSettingRow best;
  best.cell_id = input.cells.front().id;
  best.role = SearchRole::kWinner;
  best.is_recommended = true;
  best.finding = std::string(900, 'x');
  input.results.search_settings = {best};

  const std::string screen = test::first_screen(test::render_kind(input, "scaling"));
  CHECK_THAT(screen, Contains("- **Use:** " + best.finding + "."));
  CHECK_THAT(test::render_kind(input, "scaling"), Contains("## Also found"));
}

TEST_CASE("the number of trials of a cell is what the tables count", "[report]") {
  ReportInput input = test::read_sample();
  const auto sentence = [&] {
    return std::get<std::string>(build_view(input, {}).values().at("trials_sentence"));
  };
  CHECK(sentence() == "3 of each cell");

  for (EstimateRow& row : input.results.estimates) {
    row.n_planned = 6;
  }
  CHECK(sentence() == "3 of each cell; 6 of each cell were planned in all");
  input.trials.back().plan = "another";
  CHECK(sentence() == "3 of each cell; 2 results folders were merged, with 6 of each cell in all");

  // One cell was given up after its first trial.
  for (EstimateRow& row : input.results.estimates) {
    row.n_planned = row.cell_id == input.cells.front().id ? 1 : 6;
  }
  CHECK(sentence() == "3 of each cell; 2 results folders were merged; 1 to 6 in the tables");
  for (EstimateRow& row : input.results.estimates) {
    row.n_planned = std::min<std::int64_t>(row.n_planned, 3);
  }
  input.trials.back().plan = input.trials.front().plan;
  CHECK(sentence() == "3 of each cell; 1 to 3 in the tables");
}
