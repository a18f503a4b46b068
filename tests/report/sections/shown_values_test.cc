// Values, names and columns as tables, answers and figures show them.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/report/figures/figures.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/template.h"
#include "tests/report/sample_study.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

TEST_CASE("a tested value is never rounded, wherever it stands", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    cell.batch_global = *cell.batch_global * 16;  // 1024, 4096, 16384
    for (CellRow::Parameter& parameter : cell.parameters) {
      if (parameter.name == "batch_global") {
        parameter.value = std::to_string(*cell.batch_global);
      }
    }
  }
  ThresholdRow& threshold = input.results.thresholds.front();
  threshold.bracket_lo = 4096.0;
  threshold.bracket_hi = 16384.0;
  const auto values = build_view(input, {}).values();
  const auto column = [&](const char* table, const char* name) {
    const View& first = std::get<View::List>(values.at(table)).at(0);
    const View& last = std::get<View::List>(first.values().at("rows")).back();
    return std::get<std::string>(last.values().at(name));
  };

  CHECK(column("pairs", "where") == "batch 16384");
  CHECK(column("results", "batch_global") == "16384");
  CHECK(column("speedups", "batch") == "16384");
  CHECK(column("thresholds", "bracket") == "4096 to 16384");
  for (const FigurePlan& plan : plan_figures(input)) {
    if (plan.kind == "speedup") {
      CHECK_THAT(plan.definitions, Catch::Matchers::Contains("'16384' 16384"));
    }
  }
}

TEST_CASE("tables and figures of a command say the size of its messages", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.workload = Workload::kCommand;
  for (CellRow& cell : input.cells) {
    const std::string bytes = std::to_string(*cell.batch_global * 1024);
    std::erase_if(cell.parameters, [](const auto& one) { return one.name == "batch_global"; });
    cell.parameters.push_back({"message_bytes", bytes, ValueKind::kInteger, true});
    cell.batch_global = 64;
  }
  input.make_index();
  const auto values = build_view(input, {}).values();

  for (const char* table : {"results", "speedups", "overview"}) {
    CAPTURE(table);
    const View& first = std::get<View::List>(values.at(table)).at(0);
    const auto& columns = std::get<View::List>(first.values().at("columns"));
    CHECK(std::ranges::any_of(columns, [](const View& column) {
      return std::get<std::string>(column.values().at("heading")) == "Message";
    }));
    const View& last = std::get<View::List>(first.values().at("rows")).back();
    CHECK(std::get<std::string>(last.values().at("message")) == "1 MiB");
  }
  std::string drawn;
  for (const FigurePlan& plan : plan_figures(input)) {
    drawn += plan.kind == "throughput" ? plan.definitions : "";
  }
  CHECK_THAT(drawn, Catch::Matchers::Contains("64 KiB"));
  CHECK_THAT(drawn, Catch::Matchers::Contains("1 MiB"));
}

TEST_CASE("tables, answers and figures use the labels of the study", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.labels = {{"batch_global", "Batch (samples)"}, {"devices", "Cards"}};
  const auto values = build_view(input, {}).values();
  const auto headings = [&](const char* table) {
    std::set<std::string> names;
    const View& first = std::get<View::List>(values.at(table)).at(0);
    for (const View& column : std::get<View::List>(first.values().at("columns"))) {
      names.insert(std::get<std::string>(column.values().at("heading")));
    }
    return names;
  };

  for (const char* table : {"results", "speedups"}) {
    CAPTURE(table);
    CHECK(headings(table).contains("Batch (samples)"));
    CHECK(headings(table).contains("Cards"));
    CHECK_FALSE(headings(table).contains("Global batch"));
  }
  const View& range = std::get<View::List>(values.at("limits")).at(0);
  CHECK_THAT(std::get<std::string>(range.values().at("limit")),
             Catch::Matchers::Contains("1 to 4 Cards and Batch (samples) 64 to 1024"));
  for (const FigurePlan& plan : plan_figures(input)) {
    if (plan.kind == "throughput" || plan.kind == "speedup") {
      CHECK_THAT(plan.definitions,
                 Catch::Matchers::Contains(plan.kind == "speedup" ? "x_label = 'Batch (samples)'"
                                                                  : "x_label = 'Cards'"));
    }
  }
}

TEST_CASE("a study of single devices shows no column of them", "[report]") {
  ReportInput input = test::read_sample();
  const auto first_heading = [&input] {
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at("results")).at(0);
    const View& column = std::get<View::List>(table.values().at("columns")).at(0);
    return std::get<std::string>(column.values().at("heading"));
  };
  CHECK(first_heading() == "Devices");

  for (CellRow& cell : input.cells) {
    cell.devices = 1;
  }
  CHECK(first_heading() == "Global batch");
}

TEST_CASE("what the same money brings has a column only beside an efficiency", "[report]") {
  ReportInput input = test::read_sample();
  const std::vector<CellRow> cells = input.cells;
  for (const CellRow& cell : cells) {
    if (input.comparison(cell.id, "efficiency") != nullptr) {
      EstimateRow row = *input.estimate(cell.id, "cost_per_million_samples");
      row.metric = "cost_efficiency";
      row.value = 0.75;
      row.lo = 0.625;
      row.hi = 0.875;
      input.results.estimates.push_back(row);
    }
  }
  input.make_index();
  const auto has_column = [&](const char* table) {
    const View view = build_view(input, {});
    const View& first = std::get<View::List>(view.values().at(table)).at(0);
    return std::ranges::any_of(
        std::get<View::List>(first.values().at("columns")), [](const View& column) {
          return std::get<std::string>(column.values().at("heading")) == "Cost efficiency (%)";
        });
  };
  CHECK(has_column("costs"));
  CHECK(has_column("base_costs"));

  std::erase_if(input.results.comparisons,
                [](const ComparisonRow& row) { return row.quantity == "efficiency"; });
  input.make_index();
  CHECK_FALSE(has_column("costs"));
  CHECK_FALSE(has_column("base_costs"));
}

TEST_CASE("a target over several cells is one finding, and a row for each cell", "[report]") {
  ReportInput input = test::read_sample();
  const TargetResultRow cell = input.results.targets.front();
  REQUIRE(cell.cell_id.has_value());
  TargetResultRow whole = cell;
  whole.cell_id.reset();
  whole.finding = "second device pays: met: speedup, wanted at least 1.5x, in each of 2 cells";
  input.results.targets = {whole, cell, cell};
  const auto values = build_view(input, {}).values();

  const auto& said = std::get<View::List>(values.at("expectations"));
  REQUIRE(said.size() == 1);
  CHECK(std::get<std::string>(said[0].values().at("finding")) == whole.finding);
  const View& table = std::get<View::List>(values.at("targets")).at(0);
  const auto& rows = std::get<View::List>(table.values().at("rows"));
  REQUIRE(rows.size() == 3);
  CHECK(std::get<std::string>(rows[0].values().at("cell")) == "both cells");
}

TEST_CASE("what the check of projections says of several curves alike stands once", "[report]") {
  ReportInput input = test::read_sample();
  for (const char* curve : {"batch_global=64", "batch_global=256"}) {
    for (const std::int64_t devices : {8, 16}) {
      test::add_refused(input, curve, devices);
    }
  }
  input.results.projections.back().finding = "another reason";
  const auto values = build_view(input, {}).values();

  std::vector<std::string> said;
  for (const View& row : std::get<View::List>(values.at("projection_findings"))) {
    said.push_back(std::get<std::string>(row.values().at("finding")));
  }
  CHECK(said ==
        std::vector<std::string>{"8 and 16 devices (batch 64): refused, because too few counts",
                                 "8 devices (batch 256): refused, because too few counts",
                                 "16 devices (batch 256): refused, because another reason"});
  input.results.projections.back().finding = "too few counts";
  const View alike = build_view(input, {});
  const auto& rows = std::get<View::List>(alike.values().at("projection_findings"));
  REQUIRE(rows.size() == 1);
  CHECK(std::get<std::string>(rows.front().values().at("finding")) ==
        "8 and 16 devices (2 curves): refused, because too few counts");
}

TEST_CASE("the example of a query is about a trial that counts", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(text_of(build_view(input, {}), "first_trial") == "1");

  input.trials.front().state = TrialState::kFailed;
  input.make_index();
  CHECK(text_of(build_view(input, {}), "first_trial") == "2");

  for (TrialRow& trial : input.trials) {
    trial.state = TrialState::kFailed;
  }
  input.make_index();
  CHECK(text_of(build_view(input, {}), "first_trial").empty());
}

TEST_CASE("the trials behind laws and projections are called trials", "[report]") {
  ReportInput input = test::read_sample();
  input.results.projections.emplace_back().provenance = Provenance::kProjected;
  const auto values = build_view(input, {}).values();

  for (const char* list : {"laws", "projections"}) {
    CAPTURE(list);
    const View& table = std::get<View::List>(values.at(list)).at(0);
    const auto& columns = std::get<View::List>(table.values().at("columns"));
    CHECK(std::ranges::any_of(columns, [](const View& column) {
      return std::get<std::string>(column.values().at("heading")) == "Trials";
    }));
  }
}

TEST_CASE("the FLOP behind a share of the peak are told forward and backward", "[report]") {
  ReportInput input = test::read_sample();
  EstimateRow row = *input.estimate(input.cells.front().id, "step_time_s");
  row.metric = "model_flop_utilization";
  row.unit = "1";
  row.value = 0.382;
  row.lo = row.hi = std::nullopt;
  input.results.estimates.push_back(row);
  input.make_index();

  CHECK_THAT(test::render_kind(input, "scaling"),
             Catch::Matchers::Contains("2 forward and 4 backward per multiply-add (only 2 backward "
                                       "in a first layer that takes numbers)"));
}

TEST_CASE("shares are printed in percent, and long saves in seconds", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.workload = Workload::kCommand;
  input.declared.analysis.metrics = {{.metric = "gpu_busy_share", .is_higher_better = true}};
  ComparisonRow compared = input.results.comparisons.front();
  compared.quantity = "gpu_busy_share";
  input.results.comparisons.push_back(compared);
  for (const CellRow& cell : input.cells) {
    const auto add = [&](const char* metric, const char* unit, double value) {
      EstimateRow row = *input.estimate(cell.id, "step_time_s");
      row.metric = metric;
      row.unit = unit;
      row.value = value;
      row.lo = row.hi = std::nullopt;
      return row;
    };
    if (input.estimate(cell.id, "step_time_s") != nullptr) {
      EstimateRow utilization = add("model_flop_utilization", "1", 0.382);
      utilization.recomputed_verdict = RateVerdict::kFollows;
      utilization.recomputed_lo = 0.38;
      utilization.recomputed_hi = 0.39;
      const auto rows = {add("gpu_busy_share", "1", 0.875),
                         add("checkpoint_save_time_s", "s", 18.56),
                         utilization};
      input.results.estimates.insert(input.results.estimates.end(), rows);
    }
  }
  input.make_index();
  const auto values = build_view(input, {}).values();
  const auto first_row = [&](const char* table) {
    const View& first = std::get<View::List>(values.at(table)).at(0);
    return std::get<View::List>(first.values().at("rows")).at(0).values();
  };
  const auto text = [](const auto& row, const char* name) {
    return std::get<std::string>(row.at(name));
  };

  CHECK(text(first_row("metrics"), "value") == "87.5");
  CHECK_THAT(
      std::get<std::string>(std::get<View::List>(values.at("metrics")).at(0).values().at("title")),
      Catch::Matchers::StartsWith("gpu_busy_share (%)"));
  CHECK(text(first_row("usage"), "gpu_busy_share") == "87.5");
  CHECK(text(first_row("printed_rates"), "printed") == "38.2");
  CHECK(text(first_row("printed_rates"), "unit") == "%");
  CHECK(text(first_row("printed_rates"), "recomputed") == "38 to 39");
  CHECK(text(first_row("checkpoints"), "save") == "18.56");
}

TEST_CASE("targets over several cells name the confidence that decides them", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.confidence = 0.9;
  input.results.targets.push_back(input.results.targets.front());
  input.make_index();
  const std::filesystem::path templates =
      std::filesystem::path(SCALESTUDY_SOURCE_DIR) / "templates";

  const std::string text = render_template(templates / "partials/targets.md",
                                           {templates / "partials"},
                                           build_view(input, {}),
                                           {},
                                           template_tags());

  CHECK_THAT(text,
             Catch::Contains("Each level is a question of its own, decided at a confidence of 90 "
                             "%.") &&
                 !Catch::Contains("at most 5 %"));
}

TEST_CASE("the table of methods explains each by itself", "[report]") {
  ReportInput input = test::read_sample();
  for (EstimateRow& row : input.results.estimates) {
    row.method = "mean_ci_t_within";
  }
  for (LawRow& row : input.results.laws) {
    row.method = "amdahl_fit";
  }
  const auto values = build_view(input, {}).values();
  std::string told;
  for (const View& row : std::get<View::List>(values.at("methods"))) {
    told += std::get<std::string>(row.values().at("value")) + "\n";
  }

  CHECK_THAT(told, !Catch::Contains("the same"));
  CHECK_THAT(told,
             Catch::Contains("Student t interval within sessions: mean of all trials, ") &&
                 Catch::Contains("Amdahl's law fitted to the times of all trials, or to the means "
                                 "of five or more sessions, "));
}

TEST_CASE("a column that no row has is not explained", "[report]") {
  ReportInput input = test::read_sample();
  input.is_full = true;
  const std::vector<std::string> explained = {
      "\"Between trials\" is the part of the variance",
      "The best number of steps makes",
      "Efficiency is the speedup divided by the ratio of devices."};
  const std::string before = test::render_kind(input, "scaling");
  for (const std::string& text : explained) {
    CHECK_THAT(before, Catch::Matchers::Contains(text));
  }

  std::erase_if(input.results.estimates, [](const EstimateRow& row) {
    return row.statistic == Statistic::kBetweenTrialsShare ||
           row.statistic == Statistic::kOptimalSteps;
  });
  std::erase_if(input.results.comparisons,
                [](const ComparisonRow& row) { return row.quantity == "efficiency"; });
  input.make_index();
  const std::string after = test::render_kind(input, "scaling");
  CHECK_THAT(after, Catch::Matchers::Contains("## Precision"));
  CHECK_THAT(after, Catch::Matchers::Contains("## Speedup and efficiency"));
  for (const std::string& text : explained) {
    CHECK_THAT(after, !Catch::Matchers::Contains(text));
  }
}

TEST_CASE("a cell whose only missing trial is excluded by hand has none to leave out as flagged",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto rows = [&] {
    return std::get<View::List>(build_view(input, {}).values().at("unflagged")).size();
  };
  CHECK(rows() == 1);

  EstimateRow& unflagged =
      *std::ranges::find(input.results.estimates, Variant::kUnflagged, &EstimateRow::variant);
  REQUIRE(unflagged.n_excluded == 1);
  unflagged.n = 3;  // as many as without the rule
  CHECK(rows() == 0);
}
