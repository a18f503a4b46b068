// Which figures a study has.
#include "harness/report/figures/figures.h"

#include <algorithm>
#include <map>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/cost_figures.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/figures/speedup_figures.h"
#include "harness/report/figures/trial_figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "tests/report/figures/drawn_figures.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using test::paths_of;
using test::plan_of;

// Copies the cells of the smallest batch, and what was estimated of them, under further batches.
void add_batches(ReportInput& input, std::int64_t count) {
  const std::vector<CellRow> cells(input.cells.begin(), input.cells.begin() + 2);
  const std::vector<EstimateRow> estimates = input.results.estimates;
  for (std::int64_t i = 1; i <= count; ++i) {
    for (CellRow cell : cells) {
      const std::int64_t old_id = cell.id;
      cell.id += 1000 * i;
      cell.batch_global = 10000 * i;
      input.cells.push_back(cell);
      for (EstimateRow row : estimates) {
        if (row.cell_id == old_id) {
          row.cell_id = cell.id;
          input.results.estimates.push_back(row);
        }
      }
    }
  }
  input.make_index();
}

TEST_CASE("names in files are cut to what file systems take, and stay apart", "[report]") {
  const std::string same(200, 'a');

  const std::string one = slug_of("model=" + same + "1");
  CHECK(one.size() == 120);
  CHECK(one.starts_with("model-aaaa"));
  CHECK(one == slug_of("model=" + same + "1"));
  CHECK(one != slug_of("model=" + same + "2"));
  CHECK(slug_of(same + " b") != slug_of(same + "-b"));  // their letters are the same
  CHECK(slug_of(std::string(120, 'a')) == std::string(120, 'a'));
  CHECK(slug_of("Tokens per second") == "tokens-per-second");
}

TEST_CASE("figures of long labels have names of their own that can be written", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    const char letter = cell.batch_global == input.cells.front().batch_global ? 'a' : 'b';
    std::erase_if(cell.parameters, [](const auto& one) { return one.name == "model"; });
    cell.parameters.push_back({"model", std::string(250, letter), ValueKind::kText, true});
  }
  input.make_index();

  const std::vector<std::string> paths = paths_of(input, "throughput");

  REQUIRE(paths.size() == 2);
  CHECK(paths[0] != paths[1]);
  CHECK(paths[0].size() < 200);
}

TEST_CASE("eight series share a figure, and nine are drawn in two", "[report]") {
  ReportInput eight = test::read_sample();  // three batches
  ReportInput nine = eight;
  add_batches(eight, 5);
  add_batches(nine, 6);

  CHECK(paths_of(eight, "throughput") == std::vector<std::string>{"figures/throughput.svg"});
  CHECK(paths_of(nine, "throughput") ==
        std::vector<std::string>{"figures/throughput.svg", "figures/throughput_2.svg"});
}

TEST_CASE("titles of figures say what was found", "[report]") {
  const auto title = [](const ReportInput& input, const std::string& kind) {
    const std::vector<FigurePlan> plans = plan_figures(input);
    const std::string& text = plan_of(plans, kind).definitions;
    const std::size_t from = text.find("title_text = '") + 14;
    return text.substr(from, text.find("'\n", from) - from);
  };
  // Batches 64 and 1024 on 1 and 4 devices: 8.4 ms and 9.6 ms, 104.5 ms and 33.6 ms a step.
  ReportInput input = test::read_sample();
  CHECK(title(input, "speedup") == "Break-even near global batch 81.2");
  input.results.thresholds.at(0).status = RowStatus::kCrossedDown;  // a loss from there on
  CHECK(title(input, "speedup") == "Speedup of 1 near global batch 81.2");
  input.results.thresholds.clear();
  CHECK(title(input, "speedup") == "Speedup: 0.875 to 3.11");
  CHECK(title(input, "throughput") == "Throughput: 6670 to 30,500 samples/s");
  CHECK(title(input, "breakdown") == "Step time by phase: 8.40 to 104 ms");
}

TEST_CASE("each piece of a break-even is a band of its own", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow more = input.results.thresholds.at(0);
  more.lo = 120.0;
  more.hi = 170.0;
  more.bracket_lo.reset();
  input.results.thresholds.push_back(more);
  const std::vector<FigurePlan> plans = plan_figures(input);
  const std::string& text = plan_of(plans, "speedup").definitions;

  CHECK(text.find("range_count = 3\n") != std::string::npos);
  CHECK(text.find("array range_from[3] = [64, 74.4, 120]") != std::string::npos);
  CHECK(text.find("array range_to[3] = [256, 90.1, 170]") != std::string::npos);
  CHECK(text.find("array range_kind[3] = [1, 2, 2]") != std::string::npos);
}

TEST_CASE("equal brackets of two series are shaded once", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow other = input.results.thresholds.at(0);  // of 2 devices: 64 to 256 [74.4, 90.1]
  other.cells.clear();
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && cell.devices == 4) {
      other.cells.push_back(cell.id);
    }
  }
  other.hi = 120.0;
  input.results.thresholds.push_back(other);
  const std::vector<FigurePlan> plans = plan_figures(input);
  const std::string& text = plan_of(plans, "speedup").definitions;

  CHECK_THAT(text, Catch::Matchers::Contains("array range_from[3] = [64, 74.4, 74.4]"));
  CHECK_THAT(text, Catch::Matchers::Contains("array range_to[3] = [256, 90.1, 120]"));
  CHECK_THAT(text, Catch::Matchers::Contains("array range_series[3] = [1, 1, 2]"));
  CHECK_THAT(text, Catch::Matchers::Contains("array range_kind[3] = [1, 2, 2]"));
}

// The dashed line of the figure is at the first level alone.
TEST_CASE("a speedup's figure has the bands of the level that it draws", "[report]") {
  ReportInput input = test::read_sample();
  const std::string alone = plan_of(plan_figures(input), "speedup").definitions;
  ThresholdRow other = input.results.thresholds.at(0);
  other.level = 1.5;
  other.bracket_hi = 1024.0;
  input.results.thresholds.push_back(other);

  CHECK(plan_of(plan_figures(input), "speedup").definitions == alone);
}

TEST_CASE("a series without points keeps its place among the others", "[report]") {
  std::vector<Series> all(2);
  all[1].points.push_back({.x = 1.0, .y = 2.0, .lo = 1.5, .hi = 3.0});
  CHECK(data_definition("$data", all) ==
        "$data << SCALESTUDY_END\nNaN NaN NaN NaN\n\n\n1 2 1.5 3\n\n\nSCALESTUDY_END\n");
}

// Two widths of a model on one and two devices, `ratio` apart in everything, and a threshold along
// the number of parameters.
ReportInput sizes(double ratio) {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  input.declared.workload = Workload::kTrain;
  input.declared.analysis.thresholds = {{.metric = "speedup", .along = "parameter_count"}};
  ThresholdRow threshold;
  threshold.metric = "speedup";
  threshold.along = "parameter_count";
  threshold.level = 1.0;
  input.results.thresholds.push_back(threshold);
  std::int64_t id = 0;
  for (const double factor : {1.0, ratio}) {
    for (const std::int64_t devices : {1, 2}) {
      CellRow cell;
      cell.id = ++id;
      cell.hash = std::to_string(id);
      cell.role = CellRole::kMeasured;
      cell.devices = devices;
      cell.batch_global = 16;
      cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true},
                         {"model.width", std::to_string(8.0 * factor), ValueKind::kInteger, true}};
      input.cells.push_back(cell);
      for (const auto& [metric, value] :
           std::map<std::string, double>{{"step_time_s", 0.001 * factor},
                                         {"forward_time_s", 0.001 * factor},
                                         {"throughput", 16000.0 / factor},
                                         {"parameter_count", 1000.0 * factor}}) {
        EstimateRow row;
        row.cell_id = id;
        row.metric = metric;
        row.statistic = Statistic::kMean;
        row.variant = Variant::kAll;
        row.value = value;
        input.results.estimates.push_back(row);
      }
    }
    ComparisonRow speedup;
    speedup.cell_id = id;
    speedup.baseline_cell_id = id - 1;
    speedup.quantity = "speedup";
    speedup.value = 0.5;
    input.results.comparisons.push_back(speedup);
  }
  input.make_index();
  return input;
}

TEST_CASE("sizes of a model share figures, with the speedup along the number of parameters",
          "[report]") {
  const std::vector<FigurePlan> plans = plan_figures(sizes(4.0));

  REQUIRE(plans.size() == 3);
  CHECK(plans[0].path == "figures/throughput.svg");
  CHECK(plans[0].definitions.find("'model.width=32.000000'") != std::string::npos);
  CHECK(plans[1].path == "figures/breakdown.svg");
  CHECK(plans[2].path == "figures/speedup.svg");
  CHECK(plans[2].definitions.find("'parameters of the model'") != std::string::npos);
  CHECK(plans[2].definitions.find("set xtics ('1000' 1000, '4000' 4000)") != std::string::npos);
  CHECK(plans[2].definitions.find("series_count = 1") != std::string::npos);
}

TEST_CASE("numbers of parameters leave room for each other on an axis", "[report]") {
  CHECK(short_count(4064) == "4064");
  CHECK(short_count(11'200) == "11.2k");
  CHECK(short_count(118'528) == "119k");
  CHECK(short_count(6'885'376) == "6.89M");
  CHECK(short_count(25e6) == "25M");
  CHECK(short_count(7e9) == "7B");
  CHECK(short_count(999'600) == "1M");
  CHECK(short_count(999'600'000) == "1B");
}

// A label is made of text: that of 4 devices with the flags "-a devices=2" has the words of both.
TEST_CASE("a break-even is drawn at the series of its own cells, whatever their values say",
          "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"env.FLAGS", cell.devices == 4 ? "-a devices=2" : "-a", ValueKind::kText, true});
  }
  ThresholdRow& threshold = input.results.thresholds.front();
  threshold.group_label = "devices=4 env.FLAGS=-a devices=2";
  threshold.cells.clear();
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && cell.devices == 4) {
      threshold.cells.push_back(cell.id);
    }
  }

  const std::string drawn = speedup_figures(input, group_cells(input).front()).front().definitions;
  CHECK_THAT(drawn,
             Catch::Matchers::Contains("['2 devices, env.FLAGS=-a', '4 devices, env.FLAGS=-a "));
  CHECK_THAT(drawn, Catch::Matchers::Contains("range_series[2] = [2, 2]"));
}

TEST_CASE("what would be too small to be seen is drawn apart", "[report]") {
  CHECK(paths_of(sizes(30.0), "breakdown").size() == 1);
  CHECK(paths_of(sizes(31.0), "breakdown").size() == 2);
  CHECK(paths_of(sizes(31.0), "throughput").size() == 2);
}

TEST_CASE("an oversubscribed number of devices is marked in a figure", "[report]") {
  ReportInput input = test::read_sample();
  const auto has_mark = [&] {
    const std::vector<FigurePlan> plans = plan_figures(input);
    return plans.front().definitions.find("'4 †' 4") != std::string::npos;
  };
  CHECK_FALSE(has_mark());

  for (CellRow& cell : input.cells) {
    cell.oversubscribed = cell.devices == 4;
  }

  CHECK(has_mark());
}

TEST_CASE("every trial that counts is a dot, in its block", "[report]") {
  ReportInput input = test::read_sample();
  const Group group = group_cells(input).front();

  const TrialPoints points = trial_points(input, group);

  // 9 measured cells in 3 blocks; the trial that timed out is none, the flagged one apart.
  CHECK(points.plain.size() + points.flagged.size() == 26);
  REQUIRE(points.flagged.size() == 1);
  CHECK(points.flagged.front().first == 1);
  CHECK(points.flagged.front().second == Approx(1.0).margin(0.02));
  CHECK(std::ranges::is_sorted(points.plain, {}, [](const auto& point) { return point.first; }));
  CHECK_THAT(trials_text(input, group), Catch::Matchers::StartsWith("Every trial as a dot, "));
  CHECK_THAT(trial_definitions(input, group).front(),
             Catch::Matchers::Contains("title_text = 'Every trial: "));

  input.declared.search.emplace();
  CHECK_THAT(trials_text(input, group),
             Catch::Matchers::StartsWith("Every trial on fresh blocks as a dot, "));
  CHECK_THAT(trial_definitions(input, group).front(),
             Catch::Matchers::Contains("title_text = 'Every trial on fresh blocks: "));
}

// 20 blocks of 1,000 trials: the figure was 90 bytes for each.
TEST_CASE("of trials whose dots lie on one another a figure draws those that can be seen",
          "[report]") {
  ReportInput input = test::read_sample();
  const TrialRow first = *input.trial(input.used_trials(input.cells.front().id).front());
  const double mean_s = *input.estimate(first.cell_id, "step_time_s")->value;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    TrialRow trial = first;
    trial.id = 1000 + i;
    trial.block = i / 1000;
    input.trials.push_back(trial);
    const double spread = static_cast<double>((i * 7919) % 1000) / 10'000.0;
    input.step_times[trial.id].mean_s = mean_s * (i == 777 ? 1.5 : 0.95 + spread);
  }
  input.make_index();
  const Group group = group_cells(input).front();

  const std::string drawn = trial_definitions(input, group).front();
  const auto dots = std::ranges::count(drawn, '\n');
  CHECK(dots > 100);
  CHECK(dots < 2'000);
  CHECK_THAT(drawn, Catch::Matchers::Contains("\n1 150\n"));  // the one apart from all others
  CHECK_THAT(drawn, Catch::Matchers::Contains("without dots that others cover"));
  CHECK_THAT(trials_text(input, group),
             Catch::Matchers::Contains("20026 trials (dots that others cover are left out)"));
}

TEST_CASE("names stand at the ends of series where they do not cover each other", "[report]") {
  const auto series = [](const std::string& name, double end) {
    return Series{.name = name, .cell = nullptr, .points = {{1, 1, 1, 1}, {2, end, end, end}}};
  };
  const auto flags = [&](const std::vector<Series>& all) {
    const std::string text = series_definitions(all);
    return text.substr(text.find("has_labels"));
  };
  CHECK(flags({series("a", 10), series("b", 9)}) == "has_labels = 1\nhas_log_labels = 0\n");
  CHECK(flags({series("a", 100), series("b", 98)}) == "has_labels = 0\nhas_log_labels = 0\n");
  CHECK(flags({series("a", 100), series("b", 3), series("c", 1)}) ==
        "has_labels = 0\nhas_log_labels = 1\n");
  CHECK(flags({series("a name that is too long to stand there", 9), series("b", 3)}) ==
        "has_labels = 0\nhas_log_labels = 0\n");
  // The name of c would stand on the line of a, which goes on.
  const Series c{.name = "c", .cell = nullptr, .points = {{1, 3, 3, 3}, {1.5, 5, 5, 5}}};
  CHECK(flags({series("a", 10), c}) == "has_labels = 0\nhas_log_labels = 0\n");
}

TEST_CASE("the front of cost and time leaves out what another beats in both", "[report]") {
  ReportInput input = test::read_sample();
  const Group group = group_cells(input).front();
  const auto names = [&] {
    std::vector<std::string> all;
    for (const CostPoint& point : cost_front(cost_points(input, group))) {
      all.push_back(short_name(input, *point.cell));
    }
    return all;
  };
  CHECK(cost_points(input, group).size() == 9);
  // At batch 1024 more devices are faster and dearer; smaller batches are slower and dearer.
  CHECK(names() == std::vector<std::string>{
                       "4 devices, batch 1024", "2 devices, batch 1024", "1 device, batch 1024"});
  CHECK_THAT(cost_text(input, group),
             Catch::Matchers::EndsWith("cheaper than 4 devices, batch 1024; 2 devices, batch 1024; "
                                       "1 device, batch 1024"));

  for (CellRow& cell : input.cells) {
    cell.oversubscribed = cell.devices == 4;
  }
  CHECK(names().front() == "2 devices, batch 1024");
}

TEST_CASE("the front of cost and time leaves out what is beaten in one of them alone", "[report]") {
  const auto point = [](double hours, double cost) {
    return CostPoint{nullptr, {hours, {}, {}}, {cost, {}, {}}};
  };
  std::vector<std::pair<double, double>> front;
  for (const CostPoint& kept :
       cost_front({point(1, 5), point(1, 4), point(2, 3), point(3, 3), point(2, 3)})) {
    front.emplace_back(*kept.hours.value, *kept.cost.value);
  }
  // Equals stay: neither beats the other.
  CHECK(front == std::vector<std::pair<double, double>>{{1, 4}, {2, 3}, {2, 3}});
}

}  // namespace
