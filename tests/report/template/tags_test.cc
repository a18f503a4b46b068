// The list of tags against the view.
#include "harness/report/template/tags.h"

#include <algorithm>
#include <set>
#include <string>

#include "harness/report/input/estimates.h"
#include "harness/report/sections/sections.h"
#include "harness/study/parameters/time_to.h"
#include "tests/report/collective_sample.h"
#include "tests/report/sample_published.h"
#include "tests/report/sample_study.h"
#include "tests/report/search_sample.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using test::sample_of_techniques;

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
                    {{{"throughput", 0}, {{"a.svg", "a"}}},
                     {{"breakdown", 0}, {{"b.svg", "b"}}},
                     {{"speedup", 0}, {{"c.svg", "c"}, {"c_2.svg", "c_2"}}},
                     {{"trials", 0}, {{"d.svg", "d"}}},
                     {{"cost", 0}, {{"e.svg", "e"}}},
                     {{"projection", 0}, {{"f.svg", "f"}}}});
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

TEST_CASE("every documented tag has a value and every value is documented", "[report]") {
  std::set<std::string> paths;

  collect_paths(sample_view(), "", paths);
  collect_paths(build_view(sample_with_controls(), {}), "", paths);
  collect_paths(build_view(sample_of_effects(), {}), "", paths);
  collect_paths(
      build_view(sample_of_learning(), {{{"learning", 0}, {{"g.svg", "g"}, {"g_2.svg", "g_2"}}}}),
      "",
      paths);
  collect_paths(build_view(sample_of_failures(), {}), "", paths);
  collect_paths(build_view(test::sample_of_search(), {}), "", paths);
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
  collect_paths(
      build_view(collective, {{{"message", 0}, {{"d.svg", "d"}, {"d_2.svg", "d_2"}}}}), "", paths);

  CHECK(paths == documented_paths());
}

TEST_CASE("a template may ask for any tag, whatever the study is", "[report]") {
  std::set<std::string> paths = documented_paths();
  std::erase_if(paths, [](const std::string& path) { return path.find('.') != std::string::npos; });
  for (const View& view : {sample_view(),
                           build_view(test::sample_of_search(), {}),
                           build_view(test::collective_sample(), {})}) {
    for (const std::string& path : paths) {
      INFO(path);
      CHECK(view.values().contains(path));
    }
  }
}

TEST_CASE("each tag is documented once", "[report]") {
  CHECK(documented_paths().size() + 1 == template_tags().size());
}

}  // namespace
