// Figures of many devices, far-apart values and long names: what stands where, and has room.
#include <cstdint>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/figures.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/group_tables.h"
#include "tests/report/collective_sample.h"
#include "tests/report/figures/drawn_figures.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Matchers::Contains;
using test::draw;
using test::height_of;
using test::paths_of;
using test::place_of;
using test::plan_of;

// From the left end of the x axis to its right end, in pixels of the figure.
double plot_width_of(const std::string& svg) {
  static const std::regex axes(R"('M([\d.]+),([\d.]+) L\1,([\d.]+) L([\d.]+),\3 )");
  std::smatch ends;
  REQUIRE(std::regex_search(svg, ends, axes));
  return std::stod(ends[4]) - std::stod(ends[1]);
}

double figure_height_of(const std::string& svg) {
  static const std::regex box(R"(viewBox="0 0 640 (\d+)\")");
  std::smatch height;
  REQUIRE(std::regex_search(svg, height, box));
  return std::stod(height[1]);
}

void set_devices(CellRow& cell, std::int64_t devices) {
  cell.devices = devices;
  for (CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.name == "devices") {
      parameter.value = std::to_string(devices);
    }
  }
}

// Multiplies the throughput of one batch.
void scale_throughput(ReportInput& input, std::int64_t batch, double factor) {
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "throughput" && row.value && input.cell(row.cell_id).batch_global == batch) {
      row.value = *row.value * factor;
      row.lo.reset();
      row.hi.reset();
    }
  }
}

TEST_CASE("bars keep their room however long their names are", "[report]") {
  ReportInput input = test::read_sample();
  const std::string short_names = draw(plan_of(plan_figures(input), "breakdown"));
  CHECK(plot_width_of(short_names) >= 300.0);
  CHECK(height_of(short_names, "whole step") < figure_height_of(short_names));

  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({"activation_checkpointing", "every-block", ValueKind::kText, true});
  }
  input.make_index();
  const FigurePlan plan = plan_of(plan_figures(input), "breakdown");
  REQUIRE_THAT(plan.definitions, Contains("activation_checkpointing=every-block"));
  const std::string svg = draw(plan);
  CHECK(plot_width_of(svg) >= 300.0);
  CHECK(height_of(svg, "whole step") < figure_height_of(svg));
  for (const std::string& drawn : {short_names, svg}) {
    CHECK(place_of(drawn, "Step time by phase: 8.40 to 104 ms") == Approx(320.0).margin(2.0));
  }
}

TEST_CASE("names of bars that are cut still differ", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    const std::string shared(60, 'a');
    cell.parameters.push_back({"first", shared, ValueKind::kText, true});
  }
  input.make_index();
  const std::string drawn = plan_of(plan_figures(input), "breakdown").definitions;
  CHECK_THAT(drawn, Contains("'1 device, batch 64' 0"));
  CHECK_THAT(drawn, Contains("array bar_name[9] = ['1 device, batch 64', "));
}

TEST_CASE("wide names of a legend do not reach the next column", "[report]") {
  std::vector<Series> all;
  for (const std::string name :
       {"1 exposed communication", "2 exposed communication", "3 exposed communication"}) {
    all.push_back({name, nullptr, {{1, 1, 1, 1}, {2, 1, 1, 1}}});
  }
  const std::string svg =
      draw({"throughput",
            0,
            "",
            "",
            "title_text = ''\nx_label = 'x'\ny_label = 'y'\n" + series_definitions(all) +
                value_tics(all, /*is_log=*/false) + gnuplot_array("ideal_from", {"1", "1", "1"}) +
                gnuplot_array("ideal_per_device", {"1", "1", "1"})});
  // 8.7 pixels a character in DejaVu Sans, then a sample of about 40.
  CHECK(place_of(svg, "3 exposed communication") - place_of(svg, "1 exposed communication") >=
        8.7 * 23 + 40);
}

TEST_CASE("devices that are far apart are on logarithmic axes, in one figure", "[report]") {
  ReportInput input = test::read_sample();
  scale_throughput(input, 1024, 100.0);
  CHECK(paths_of(input, "throughput").size() == 2);
  CHECK_THAT(plan_of(plan_figures(input), "throughput").definitions, Contains("is_log = 0\n"));

  for (CellRow& cell : input.cells) {
    set_devices(cell, cell.devices == 4 ? 256 : cell.devices);
  }
  input.make_index();
  CHECK(paths_of(input, "throughput").size() == 1);
  const std::string svg = draw(plan_of(plan_figures(input), "throughput"));
  CHECK((place_of(svg, "2") - place_of(svg, "1")) / (place_of(svg, "256") - place_of(svg, "1")) ==
        Approx(1.0 / 8.0).margin(0.002));
  CHECK(height_of(svg, "100k") < height_of(svg, "10k"));
}

TEST_CASE("each of several figures has the devices that it shows", "[report]") {
  ReportInput input = test::read_sample();
  scale_throughput(input, 1024, 100.0);
  std::erase_if(input.results.estimates, [&](const EstimateRow& row) {
    const CellRow& cell = input.cell(row.cell_id);
    return row.metric == "throughput" && cell.batch_global == 1024 && cell.devices == 1;
  });
  input.make_index();
  std::vector<std::string> drawn;
  for (const FigurePlan& plan : plan_figures(input)) {
    if (plan.kind == "throughput") {
      drawn.push_back(plan.definitions);
    }
  }
  REQUIRE(drawn.size() == 2);
  CHECK_THAT(drawn[0], Contains("set xtics ('1' 1, '2' 2, '4' 4)\nx_least = 1\n"));
  CHECK_THAT(drawn[1], Contains("set xtics ('2' 2, '4' 4)\nx_least = 2\n"));
}

TEST_CASE("values are on a logarithmic axis only where a linear one has too little room",
          "[report]") {
  std::set<double> all_to_64;
  for (int devices = 1; devices <= 64; ++devices) {
    all_to_64.insert(devices);
  }
  CHECK(need_log_axis({1, 2, 4, 8, 16, 32, 64, 128, 256}));
  CHECK(need_log_axis({1, 2, 256}));
  CHECK_FALSE(need_log_axis({1, 2, 4, 8, 16}));
  CHECK_FALSE(need_log_axis({64, 128, 256}));
  CHECK_FALSE(need_log_axis(all_to_64));
  CHECK_FALSE(need_log_axis({0, 1, 256}));
  CHECK_FALSE(need_log_axis({8}));
  CHECK_FALSE(need_log_axis({}));
}

TEST_CASE("tested values without room have a tic and no label", "[report]") {
  Series series;
  for (int x = 1; x <= 16; ++x) {
    series.points.push_back({.x = static_cast<double>(x)});
  }
  const std::string log = value_tics({series}, /*is_log=*/true);
  for (const char* shown : {"('1' 1,", "'2' 2,", "'8' 8,", "'13' 13,", "'16' 16)"}) {
    CHECK_THAT(log, Contains(shown));
  }
  CHECK_THAT(log, Contains("'' 14, '' 15, '16' 16"));
  CHECK_THAT(value_tics({series}, /*is_log=*/false), Contains("'14' 14, '15' 15, '16' 16"));
}

// 2 and 4 devices at one batch, 8 at another: along the batch no two of them could be joined.
TEST_CASE("speedups of batches that differ with the devices are drawn against devices",
          "[report]") {
  ReportInput input = test::read_sample();
  input.results.thresholds.clear();
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    const CellRow& cell = input.cell(row.cell_id);
    return cell.batch_global == 1024 || (cell.batch_global == 256 && cell.devices == 2);
  });
  input.make_index();
  CHECK_THAT(plan_of(plan_figures(input), "speedup").definitions, Contains("'global batch"));
  for (CellRow& cell : input.cells) {
    set_devices(cell, cell.batch_global == 256 && cell.devices == 4 ? 8 : cell.devices);
    cell.oversubscribed = cell.devices == 8;
  }
  input.make_index();
  const std::string drawn = plan_of(plan_figures(input), "speedup").definitions;
  CHECK_THAT(drawn, Contains("x_label = 'devices (ranks)'\n"));
  CHECK_THAT(drawn, Contains("set xtics ('2' 2, '4' 4, '8 †' 8)"));
  CHECK_THAT(drawn, Contains("['batch 64', 'batch 256']"));
}

TEST_CASE("speedups that are far apart have numbers that do not touch", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(plan_of(plan_figures(input), "speedup").definitions, Contains("'12' 12"));
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.value) {
      row.value = *row.value * (input.cell(row.cell_id).devices == 4 ? 100.0 : 1.0);
      row.lo.reset();
      row.hi.reset();
    }
  }
  input.make_index();
  const std::string drawn = plan_of(plan_figures(input), "speedup").definitions;
  CHECK_THAT(drawn, Contains("'8' 8, '16' 16") && !Contains("'12' 12"));
}

TEST_CASE("a title has the name of a model that has room in the figure", "[report]") {
  Group group;
  group.label = "model llama-13b";
  CHECK(figure_title(group, "Every trial: 98.6 % to 101 % of its cell's mean", 0, 1) ==
        "title_text = 'Every trial: 98.6 % to 101 % of its cell''s mean, model llama-13b'\n");
}

TEST_CASE("the figure of the answer says where the others of its kind are", "[report]") {
  const auto shown = [](const std::string& kind, const std::vector<std::string>& paths) {
    Figures figures;
    for (const std::string& path : paths) {
      figures[{kind, 0}].push_back({path, "text"});
    }
    const View::List rows = first_figure_list(figures);
    REQUIRE(rows.size() == 1);
    const auto& values = rows.front().values();
    const auto* count = std::get_if<std::string>(&values.at("count"));
    return count == nullptr ? "" : *count + " " + std::get<std::string>(values.at("anchor"));
  };
  CHECK(shown("throughput", {"figures/throughput.svg"}).empty());
  CHECK(shown("throughput", {"figures/throughput.svg", "figures/tokens-per-second.svg"}).empty());
  CHECK(shown("throughput", {"figures/throughput.svg", "figures/throughput_2.svg"}) == "2 results");
  CHECK(
      shown("speedup", {"figures/speedup.svg", "figures/speedup_2.svg", "figures/speedup_3.svg"}) ==
      "3 speedup-and-efficiency");
  CHECK(shown("message", {"figures/message.svg", "figures/message_2.svg"}).empty());
  CHECK(first_figure_list({}).empty());
}

TEST_CASE("an interval of a speedup that reaches 0 is drawn on a logarithmic axis", "[report]") {
  ReportInput input = test::read_sample();
  for (ComparisonRow& row : input.results.comparisons) {
    const CellRow& cell = input.cell(row.cell_id);
    const bool is_wide = cell.devices == 4 && cell.batch_global == 64;
    row.value = is_wide ? 1.0 : 2.0;
    row.lo = is_wide ? std::optional(-0.5) : std::nullopt;
    row.hi = is_wide ? std::optional(3.0) : std::nullopt;
  }
  input.make_index();
  CHECK_THAT(plan_of(plan_figures(input), "speedup").definitions, Contains("\n64 1 0.5 3\n"));
}

TEST_CASE("an interval of a throughput that reaches 0 is drawn on a logarithmic axis", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    set_devices(cell, cell.devices == 4 ? 256 : cell.devices);
  }
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "throughput") {
      const CellRow& cell = input.cell(row.cell_id);
      const bool is_wide = cell.devices == 256 && cell.batch_global == 64;
      row.value = 1000.0;
      row.lo = is_wide ? std::optional(-10.0) : std::nullopt;
      row.hi = is_wide ? std::optional(3000.0) : std::nullopt;
    }
  }
  input.make_index();
  CHECK_THAT(plan_of(plan_figures(input), "throughput").definitions,
             Contains("\n256 1000 500 3000\n"));
}

// 1000 samples a second are 1000/3600 hours a million; one rate may be 0, which has no hours.
TEST_CASE("intervals without an end go beyond all others in the figure of costs", "[report]") {
  ReportInput input = test::read_sample();
  for (EstimateRow& row : input.results.estimates) {
    const CellRow& cell = input.cell(row.cell_id);
    const bool is_wide = cell.devices == 4 && cell.batch_global == 64;
    if (row.metric == "throughput") {
      row.value = 1000.0;
      row.lo = is_wide ? std::optional(-5.0) : std::nullopt;
      row.hi = is_wide ? std::optional(2000.0) : std::nullopt;
    } else if (row.metric == "cost_per_million_samples") {
      row.value = 2.0;
      row.lo = is_wide ? std::optional(-1.0) : std::nullopt;
      row.hi = is_wide ? std::optional(3.0) : std::nullopt;
    }
  }
  input.make_index();
  CHECK_THAT(plan_of(plan_figures(input), "cost").definitions,
             Contains("\n0.2777777777777778 2 0.1388888888888889 0.5555555555555556 1 3\n"));
}

TEST_CASE("bandwidths close to each other have numbers beside them", "[report]") {
  ReportInput input = test::collective_sample();
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "busbw_bytes_per_s") {
      row.value = row.cell_id == 1 ? 0.995e9 : 1.05e9;
      row.lo.reset();
      row.hi.reset();
    }
  }
  input.make_index();
  CHECK_THAT(plan_of(plan_figures(input), "message").definitions,
             Contains("set ytics ('0.98' 0.98, '1' 1, '1.02' 1.02, '1.04' 1.04, '1.06' 1.06)\n"));
}

TEST_CASE("sizes of messages close to each other have a tic and no label", "[report]") {
  ReportInput input = test::collective_sample();
  input.cells[1].parameters[1].value = "16";
  input.make_index();
  CHECK_THAT(plan_of(plan_figures(input), "message").definitions,
             Contains("set xtics ('8 B' 8, '' 16, '16 MiB' 16777216)\n"));
}

// An axis from 0 to 0 has no tics: gnuplot would end with an error.
TEST_CASE("steps that took no time are no bars", "[report]") {
  ReportInput input = test::read_sample();
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "step_time_s") {
      row.value = row.lo = row.hi = 0.0;
    }
  }
  input.make_index();
  CHECK(paths_of(input, "breakdown").empty());
}

}  // namespace
