// The list of tags against the view.
#include <algorithm>
#include <set>
#include <string>

#include "harness/report/figures/figures.h"
#include "harness/report/input/estimates.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/tags.h"
#include "harness/study/parameters/time_to.h"
#include "tests/report/collective_sample.h"
#include "tests/report/sample_published.h"
#include "tests/report/sample_study.h"
#include "tests/report/shipped_study.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::sample_of_techniques;
using test::text_in;

namespace {

// Paths of all values, those in the first row of a list included; "has_x" of a list x left out.
void collect_paths(const View& view, const std::string& prefix, std::set<std::string>& paths) {
  for (const auto& [name, value] : view.values()) {
    const bool is_flag_of_list = name.starts_with("has_") && view.values().contains(name.substr(4));
    if (!is_flag_of_list) {
      paths.insert(prefix + name);
    }
    const auto* list = std::get_if<View::List>(&value);
    if (list != nullptr && !list->empty()) {
      collect_paths(list->front(), prefix + name + ".", paths);
    }
  }
}

std::set<std::string> documented_paths() {
  std::set<std::string> paths;
  for (const TagInfo& tag : template_tags()) {
    paths.insert(std::string(tag.path));
  }
  paths.erase("query");
  return paths;
}

View sample_view() {
  Store store = Store::open_in_memory();
  return build_view(read_input(store, test::fill_sample(store)),
                    {{{"throughput", 0}, {"a.svg"}},
                     {{"breakdown", 0}, {"b.svg"}},
                     {{"speedup", 0}, {"c.svg", "c_2.svg"}},
                     {{"trials", 0}, {"d.svg"}},
                     {{"cost", 0}, {"e.svg"}},
                     {{"projection", 0}, {"f.svg"}}});
}

// The sample with the controls barrier and start_wait of a cell that has the control noop.
ReportInput sample_with_controls() {
  ReportInput input = test::read_sample();
  input.results.threats.push_back(  // too long for the first screen
      {ThreatKind::kChangedMachine, Severity::kWarning, std::string(900, 'x')});
  const auto found = std::ranges::find(
      input.results.comparisons, "communication_overhead", &ComparisonRow::quantity);
  REQUIRE(found != input.results.comparisons.end());
  ComparisonRow row = *found;
  const CellRow cell = input.cell(row.cell_id);
  CellRow barrier = cell;
  barrier.id = 9999;
  barrier.role = CellRole::kBarrier;
  barrier.control_of = cell.hash;
  input.cells.push_back(barrier);
  input.declared.analysis.metrics.push_back({.metric = "peak_bytes"});
  ComparisonRow of_four = row;  // what communication takes, with a second number of devices
  of_four.cell_id = std::ranges::find_if(input.cells, [&](const CellRow& other) {
                      return other.role == CellRole::kMeasured && other.devices == 4 &&
                             other.batch_global == cell.batch_global;
                    })->id;
  input.results.comparisons.push_back(of_four);
  for (const char* quantity : {"transfer_overhead", "overlap_gain", "peak_bytes", "device_match"}) {
    row.quantity = quantity;
    input.results.comparisons.push_back(row);
  }
  for (const Variant variant : {Variant::kUndisturbed, Variant::kWithDisturbed}) {
    EstimateRow estimate = *input.estimate(cell.id, "step_time_s");
    estimate.variant = variant;
    input.results.estimates.push_back(estimate);
  }
  for (const CellRow& sized : std::vector<CellRow>(input.cells)) {
    EstimateRow size = *input.estimate(cell.id, "step_time_s");
    size.cell_id = sized.id;
    size.metric = "parameter_count";
    size.value = 1000.0 * static_cast<double>(sized.id);
    input.results.estimates.push_back(size);
    for (const char* part :
         {"parameters", "gradients", "optimizer", "activations", "buffers", "data"}) {
      size.metric = std::string("memory_") + part + "_bytes";
      input.results.estimates.push_back(size);
    }
    for (const char* metric : {"peak_bytes", "driver_memory_bytes"}) {
      size.metric = metric;
      input.results.estimates.push_back(size);
    }
    size.metric = "epoch_accuracy:3";
    size.value = 0.9;
    input.results.estimates.push_back(size);
  }
  input.results.law_choices.emplace_back().finding = "no law may be chosen";
  input.results.volumes.emplace_back().cell_id = cell.id;
  for (const Provenance provenance : {Provenance::kProjected, Provenance::kScenario}) {
    input.results.projections.emplace_back().provenance = provenance;
  }
  input.annotations.push_back({.trial_id = input.trials.front().id,
                               .at = "2026-11-22T08:00:00Z",
                               .kind = AnnotationKind::kNote,
                               .text = "looks slow"});
  input.make_index();
  return input;
}

// The sample as if its cells had saved their state and met a failure.
ReportInput sample_of_failures() {
  ReportInput input = test::read_sample();
  EstimateRow told = *input.estimate(input.cells.front().id, "step_time_s");
  for (const char* metric : {"checkpoint_save_time_s",
                             "checkpoint_load_time_s",
                             "checkpoint_load_bytes_per_s",
                             "checkpoint_cached_share",
                             "downtime_s",
                             "young_interval_s",
                             "daly_interval_s",
                             "epoch_time_s",
                             "training_device_hours",
                             "preempted_overhead",
                             "preempted_training_hours",
                             "preempted_training_cost",
                             "preempted_training_saving",
                             "expected_overhead"}) {
    told.metric = metric;
    told.provenance = Provenance::kScenario;  // which tables of what was measured do not ask
    input.results.estimates.push_back(told);
  }
  input.results.estimates.back().lo.reset();  // which a column tells
  input.declared.analysis.failures = {.per_device_hour = 0.001, .source = "a", .date = ""};
  input.declared.cost.value().price.preemptions_per_device_hour = 0.001;
  input.make_index();
  return input;
}

// Techniques with main effects.
ReportInput sample_of_effects() {
  ReportInput input = sample_of_techniques();
  const auto speedup =
      std::ranges::find(input.results.comparisons, "speedup", &ComparisonRow::quantity);
  REQUIRE(speedup != input.results.comparisons.end());
  ComparisonRow effect = *speedup;
  for (const char* quantity : {"main_effect", "interaction"}) {
    effect.quantity = quantity;
    effect.remark = "a reason";
    input.results.comparisons.push_back(effect);
  }
  input.make_index();
  return input;
}

// The sample as if its trials had been evaluated after each epoch, to reach an accuracy.
ReportInput sample_of_learning() {
  ReportInput input = test::read_sample();
  const TimeToRequest request{"accuracy", 0.85, {}};
  input.declared.analysis.time_to = {request};
  const auto speedup =
      std::ranges::find(input.results.comparisons, "speedup", &ComparisonRow::quantity);
  REQUIRE(speedup != input.results.comparisons.end());
  ComparisonRow sooner = *speedup;
  sooner.quantity = time_to_metric(request);
  sooner.remark = "a reason";
  input.results.comparisons.push_back(sooner);
  EstimateRow told = *input.estimate(input.cells.front().id, "step_time_s");
  for (const CellRow& cell : input.cells) {
    told.cell_id = cell.id;
    for (const std::string& metric :
         {reached_metric(request), time_to_metric(request), std::string("epoch_accuracy:1")}) {
      told.metric = metric;
      told.statistic = metric == time_to_metric(request) ? Statistic::kMedian : Statistic::kMean;
      input.results.estimates.push_back(told);
    }
  }
  input.make_index();
  return input;
}

ReportInput sample_of_search() {
  ReportInput input = test::read_sample();
  Search search;
  search.over = {"devices", "batch_global"};
  search.budget_s = 3600.0;
  input.declared.search = search;
  SearchSettingRow row;
  row.quantity = "speedup";
  row.race_trials = 3;
  for (const SearchRole role : {SearchRole::kLeft, SearchRole::kFailed, SearchRole::kRacing}) {
    row.cell_id = input.cells.at(input.results.search_settings.size()).id;
    row.role = role;
    row.left_after = role == SearchRole::kRacing ? std::nullopt : std::optional<std::int64_t>(2);
    row.finding = to_word(role) + " for a reason";
    input.results.search_settings.push_back(row);
  }
  return input;
}

TEST_CASE("every documented tag has a value and every value is documented", "[report]") {
  std::set<std::string> paths;

  collect_paths(sample_view(), "", paths);
  collect_paths(build_view(sample_with_controls(), {}), "", paths);
  collect_paths(build_view(sample_of_effects(), {}), "", paths);
  collect_paths(
      build_view(sample_of_learning(), {{{"learning", 0}, {"g.svg", "g_2.svg"}}}), "", paths);
  collect_paths(build_view(sample_of_failures(), {}), "", paths);
  collect_paths(build_view(sample_of_search(), {}), "", paths);
  ReportInput platforms = test::read_sample();
  test::make_platform(platforms.publications[0], platforms.results.counterparts);
  platforms.make_index();
  collect_paths(build_view(platforms, {}), "", paths);
  ReportInput pairs = test::pairs_sample();
  for (CellRow& cell : pairs.cells) {  // in one table still
    cell.parameters.push_back({"devices", "4", ValueKind::kInteger, true});
  }
  pairs.results.estimates.front().recomputed_verdict = RateVerdict::kFollows;
  CellRow& set_up = pairs.cells.front();
  set_up.parameters.push_back({"env.OMPI_MCA_btl", "self,tcp", ValueKind::kText, false});
  TrialRow& trial = pairs.trials.emplace_back();
  trial.id = 1;
  trial.cell_id = set_up.id;
  trial.state = TrialState::kOk;
  pairs.make_index();
  collect_paths(build_view(pairs, {}), "", paths);
  ReportInput collective = test::collective_sample();
  collective.results.estimates.front().lo.reset();  // which a note tells
  collect_paths(build_view(collective, {{{"message", 0}, {"d.svg", "d_2.svg"}}}), "", paths);

  CHECK(paths == documented_paths());
}

TEST_CASE("a template may ask for any tag, whatever the study is", "[report]") {
  std::set<std::string> paths = documented_paths();
  std::erase_if(paths, [](const std::string& path) { return path.find('.') != std::string::npos; });
  for (const View& view : {sample_view(),
                           build_view(sample_of_search(), {}),
                           build_view(test::collective_sample(), {})}) {
    for (const std::string& path : paths) {
      INFO(path);
      CHECK(view.values().contains(path));
    }
  }
}

// The first cell of the sample has three ok trials.
TEST_CASE("a search is told setting by setting, and is interim while its race goes on",
          "[report]") {
  ReportInput input = sample_of_search();

  const View racing = build_view(input, {});
  const auto& table = std::get<View::List>(racing.values().at("search"));
  const auto& rows = std::get<View::List>(table.front().values().at("rows"));
  REQUIRE(rows.size() == 3);
  CHECK(std::get<std::string>(rows.front().values().at("role")) == "racing");
  CHECK(std::get<std::string>(racing.values().at("search_racing")) == "1");
  CHECK(std::get<View::List>(racing.values().at("search_failures")).size() == 1);
  CHECK(std::get<std::string>(racing.values().at("state")) == "interim: the race is not over");
  CHECK(std::get<std::string>(racing.values().at("basis")).starts_with("not complete, "));

  SearchSettingRow& last = input.results.search_settings.back();
  last.role = SearchRole::kWinner;
  last.is_recommended = true;
  last.finding = "it is a tenth faster";
  const View over = build_view(input, {});
  const auto& answers = std::get<View::List>(over.values().at("answer"));
  CHECK(std::get<std::string>(answers.front().values().at("about")) == "Use");
  CHECK(std::get<std::string>(answers.front().values().at("sentence")) == "it is a tenth faster.");
}

TEST_CASE("trials of a cell that left the study are kept aside and counted so", "[report]") {
  ReportInput input = test::read_sample();
  const auto before = build_view(input, {}).values();
  REQUIRE(input.cells.front().role == CellRole::kMeasured);
  input.cells.front().excluded_reason = "no longer in the study";
  const auto after = build_view(input, {}).values();

  CHECK_FALSE(std::holds_alternative<std::string>(before.at("trials_aside")));
  CHECK(std::get<std::string>(after.at("trials_aside")) == "3");
  const auto planned = [](const auto& values) {
    return std::stoi(std::get<std::string>(values.at("trials_planned")));
  };
  CHECK(planned(before) == planned(after) + 3);
  for (const auto* values : {&before, &after}) {
    CHECK_THAT(std::get<std::string>(values->at("basis")),
               Contains(" of " + std::to_string(planned(*values)) + " trials ok"));
  }
}

TEST_CASE("a margin is called declared before the data unless the analysis changed", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_FALSE(std::get<bool>(build_view(input, {}).values().at("analysis_changed")));

  input.results.threats.push_back(
      {ThreatKind::kChangedAnalysis, Severity::kWarning, "The analysis was changed."});
  CHECK(std::get<bool>(build_view(input, {}).values().at("analysis_changed")));
}

TEST_CASE("margins that metrics have of their own are told beside the study's", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.margin = 0.05;
  CHECK(text_in(build_view(input, {}), "margin") == "5 %");

  input.declared.analysis.metrics = {{.metric = "loss", .margin = 0.0001},
                                     {.metric = "peak_bytes"}};
  CHECK(text_in(build_view(input, {}), "margin") == "5 % (loss: 0.01 %)");
}

// The sample declares 10 measured steps.
TEST_CASE("steps that a floor in time added are told as measured", "[report]") {
  ReportInput input = test::read_sample();
  const auto measured = [&] {
    return std::get<std::string>(build_view(input, {}).values().at("measured_steps"));
  };
  CHECK(measured() == "10");

  input.step_times.at(1).steps = 312;
  CHECK(measured() == "10 to 312");
  input.step_times.clear();
  CHECK(measured() == "10");
}

TEST_CASE("false alarms are told of the outlier rule that has them alone", "[report]") {
  ReportInput input = test::read_sample();
  const auto is_default = [&] {
    return std::get<bool>(build_view(input, {}).values().at("has_default_outliers"));
  };
  CHECK(is_default());

  input.declared.analysis.outliers.threshold = 5.0;
  CHECK_FALSE(is_default());
  input.declared.analysis.outliers = {.rule = OutlierMethod::kTukey, .threshold = 3.5};
  CHECK_FALSE(is_default());
}

TEST_CASE("a report on GPUs says how far their backend is tested", "[report]") {
  ReportInput input = test::read_sample();
  const auto sentence = [&] {
    return std::get<std::string>(build_view(input, {}).values().at("device_sentence"));
  };
  CHECK(sentence().find("A device is a CPU core here") == 0);

  input.declared.parameters["backend"] = std::string("cuda");
  CHECK(sentence().find("Backend cuda passed its tests on one GPU") == 0);

  input.declared.parameters.erase("backend");
  input.declared.axes.push_back({"backend", {std::string("cpu"), std::string("cuda")}});
  CHECK(sentence().find("with ranks that share one") != std::string::npos);

  input.declared.workload = Workload::kCommand;
  const auto of_command = build_view(input, {}).values().at("device_sentence");
  CHECK_FALSE(std::holds_alternative<std::string>(of_command));
}

TEST_CASE("a projection without a value does not make a study less measured", "[report]") {
  ReportInput input = test::read_sample();
  input.results.laws.front().provenance = Provenance::kProjected;
  input.results.laws.front().value = std::nullopt;
  CHECK(std::get<bool>(build_view(input, {}).values().at("all_measured")));

  input.results.laws.front().value = 12.5;
  CHECK_FALSE(std::get<bool>(build_view(input, {}).values().at("all_measured")));
}

TEST_CASE("laws that say the same about several curves say it once", "[report]") {
  ReportInput input = test::read_sample();
  LawRow law = input.results.laws.front();
  input.results.laws.clear();
  for (const char* batch : {"batch_global=64", "batch_global=256"}) {
    law.group_label = batch;
    law.finding = "it does not apply";
    input.results.laws.push_back(law);
  }

  const View view = build_view(input, {});
  const auto& rows = std::get<View::List>(view.values().at("law_findings"));

  REQUIRE(rows.size() == 1);
  CHECK(std::get<std::string>(rows[0].values().at("finding")) ==
        "Batch 64; batch 256: it does not apply");
}

TEST_CASE("what the columns of a table do not say stands once for the cells that share it",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto remarks = [&input] {
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at("speedups")).at(0);
    std::vector<std::string> lines;
    for (const View& row : std::get<View::List>(table.values().at("remarks"))) {
      lines.push_back(std::get<std::string>(row.values().at("cells")) + ": " +
                      std::get<std::string>(row.values().at("remark")));
    }
    return lines;
  };
  const auto set = [&input](const std::function<std::string(std::size_t)>& remark) {
    std::size_t i = 0;
    for (ComparisonRow& row : input.results.comparisons) {
      row.remark = row.quantity == "speedup" ? remark(i++) : "";
    }
    return i;
  };

  const std::size_t speedups = set([](std::size_t) { return "alike"; });
  REQUIRE(speedups == 6);
  CHECK(remarks() == std::vector<std::string>{"All rows: alike"});
  set([](std::size_t i) { return i < 2 ? "few" : ""; });
  CHECK(remarks() == std::vector<std::string>{"2 devices, batch 64; 4 devices, batch 64: few"});
  set([](std::size_t) { return ""; });
  CHECK(remarks().empty());
}

TEST_CASE("intervals of several sessions say so under their table", "[report]") {
  ReportInput input = test::read_sample();
  const auto notes = [&input] {
    const View view = build_view(input, {});
    std::string text;
    for (const View& table : std::get<View::List>(view.values().at("results"))) {
      for (const View& note : std::get<View::List>(table.values().at("notes"))) {
        text += std::get<std::string>(note.values().at("note")) + "\n";
      }
    }
    return text;
  };
  CHECK_THAT(notes(), !Catch::Matchers::Contains("sessions"));

  for (EstimateRow& row : input.results.estimates) {
    row.method = row.method == "mean_ci_t" ? "mean_ci_t_within" : row.method;
  }
  CHECK_THAT(notes(), Catch::Matchers::Contains("hold within the two to four sessions"));
}

TEST_CASE("a report says at what level brackets of comparisons are", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(confidence_text(input) == "95 %");

  for (ComparisonRow& row : input.results.comparisons) {
    row.confidence = row.quantity == "speedup" ? 0.98113957 : 0.98456055;
  }
  const std::string both = "95 % (comparisons: 98.11 to 98.46 %)";
  CHECK(confidence_text(input) == both);
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("Brackets, and half-widths after ±, are " + both +
                      " confidence intervals over trials"));
  // What is of no comparison has one level.
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("; a 95 % interval in a table does not."));
}

// Twenty rows of lost trials are shown.
TEST_CASE("one row that is left out is told as many are", "[report]") {
  ReportInput input = test::read_sample();
  std::ptrdiff_t lost = 2;
  for (TrialRow& trial : input.trials) {
    if (trial.state == TrialState::kOk && lost < 21) {
      trial.state = TrialState::kFailed;
      ++lost;
    }
  }
  CHECK_THAT(test::render_kind(input, "scaling"), Contains("\nRows left out: 1.\n"));
}

TEST_CASE("an efficiency has the same ends in all tables", "[report]") {
  ReportInput input = test::read_sample();
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "efficiency") {
      row.value = 2.3;
      row.lo = 0.976;
      row.hi = 5.4;
    }
  }
  const View view = build_view(input, {});
  std::size_t tables = 0;
  for (const char* name : {"pairs", "cells", "overview", "speedups", "sides"}) {
    for (const View& table : std::get<View::List>(view.values().at(name))) {
      ++tables;
      CAPTURE(name);
      const View row = std::get<View::List>(table.values().at("rows")).back();
      CHECK(std::get<std::string>(row.values().at("efficiency")) == "230 [98, 540]");
    }
  }
  CHECK(tables >= 4);
}

TEST_CASE("each tag is documented once", "[report]") {
  CHECK(documented_paths().size() + 1 == template_tags().size());
}

}  // namespace
