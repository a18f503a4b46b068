// How a figure is drawn: where its legend, bands and names stand.
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figure_series.h"
#include "harness/report/figures/figures.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/figures/speedup_figures.h"
#include "harness/report/input/groups.h"
#include "tests/report/figures/drawn_figures.h"
#include "tests/report/sample_study.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Matchers::Contains;
using test::draw;
using test::height_of;
using test::place_of;
using test::plan_of;
using test::plot_height_of;

// Definitions of as many series, which end close to each other, and of what each kind needs of
// them.
std::string many_series(std::size_t count, const std::string& kind, const std::string& name) {
  std::vector<Series> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double y = 1.0 + 0.01 * static_cast<double>(i);
    all.push_back({fmt::format("{} {}", i + 1, name), nullptr, {{1, y, y, y}, {2, y, y, y}}});
  }
  const std::vector<std::string> ones(count, "1");
  const std::string definitions = "title_text = ''\nx_label = 'x'\ny_label = 'y'\n" +
                                  series_definitions(all) + value_tics(all, /*is_log=*/false);
  if (kind == "speedup") {
    return definitions + data_definition("$efficiency", all) +
           "x_first = 1\nx_last = 2\nx_nearest = 1\n"
           "level = 1\nlevel_name = 'no gain'\nrange_count = 0\n";
  }
  if (kind == "throughput") {
    return definitions + gnuplot_array("ideal_from", ones) +
           gnuplot_array("ideal_per_device", ones);
  }
  return definitions + gnuplot_array("line_alpha_s", ones) + gnuplot_array("line_bandwidth", ones) +
         gnuplot_array("line_factor", ones) + "has_line = 1\nis_time = 0\n";
}

TEST_CASE("a legend of many rows makes a figure higher, and its plot no lower", "[report]") {
  for (const auto& [kind, more] :
       std::vector<std::pair<std::string, std::string>>{{"speedup", "has_efficiency = 0\n"},
                                                        {"speedup", "has_efficiency = 1\n"},
                                                        {"throughput", ""},
                                                        {"message", ""}}) {
    for (const std::string name :
         {"devices", "devices, strategy fsdp", "devices, algorithm=recursive_doubling"}) {
      for (const std::size_t count : {1, 3, 8}) {
        INFO(kind << " " << more << count << " " << name);
        CHECK(plot_height_of(draw({kind, 0, "", "", many_series(count, kind, name) + more})) >=
              250.0);
      }
    }
  }
}

TEST_CASE("the longest name of a legend stays within the figure", "[report]") {
  // DejaVu Sans, where neither Helvetica nor Arial is: 8.9 pixels a character of such names.
  for (const std::string& name :
       {std::string("devices, Batch=128, ms_per_sample=0.03, model=258K medium"),
        std::string(58, 'x')}) {
    for (const char* more : {"has_efficiency = 0\n", "has_efficiency = 1\n"}) {
      INFO(name << " " << more);
      const std::string svg = draw({"speedup", 0, "", "", many_series(1, "speedup", name) + more});
      const std::string text = "1 " + name;
      const double left = place_of(svg, text);
      CHECK(left >= 50.0);  // after its sample
      CHECK(left + 8.9 * static_cast<double>(text.size()) <= 640.0);
    }
  }
}

// 85.4 and 36.7 pixels in DejaVu Sans; the text ends where it is placed.
TEST_CASE("a short name of wide letters beside a bar is not cut", "[report]") {
  for (const auto& [name, width] :
       std::vector<std::pair<std::string, double>>{{"WWMM@@", 85.4}, {"m=1", 36.7}}) {
    const std::string svg = draw({"breakdown",
                                  0,
                                  "",
                                  "",
                                  "title_text = ''\ny_label = 'y'\n$data << EOD\n9.8 9.8 9.8 "
                                  "9.8\nEOD\nbar_count = 1\nphase_count = 1\n" +
                                      gnuplot_array("phase_name", {"'a'"}) +
                                      gnuplot_array("bar_name", {gnuplot_string(name)}) +
                                      "set ytics ('" + name + "' 0)\n"});
    CHECK(place_of(svg, name) >= width);
    CHECK_THAT(svg, Contains("> 8<"));  // at 0 and 5 alone a bar could not be read
  }
}

constexpr const char* kTwoBands =
    "range_count = 2\narray range_from[2] = [1, 1.2]\narray range_to[2] = [2, 1.4]\n"
    "array range_series[2] = [1, 1]\narray range_kind[2] = [1, 2]\n";

TEST_CASE("a legend has the columns that its height is made for, beside names too", "[report]") {
  const std::vector<Series> one{{"2 devices", nullptr, {{1, 1, 1, 1}, {2, 2, 2, 2}}}};
  const std::string svg = draw(
      {"speedup",
       0,
       "",
       "",
       "title_text = ''\nx_label = 'x'\ny_label = 'y'\n" + series_definitions(one) +
           value_tics(one, /*is_log=*/false) + data_definition("$efficiency", one) + kTwoBands +
           "x_first = 1\nx_last = 2\nx_nearest = 1\nlevel = 1\nlevel_name = 'no gain'\n"
           "interval_name = 'possible break-even'\nhas_efficiency = 1\n"});
  CHECK_THAT(svg, Contains(">2 devices<"));
  CHECK(height_of(svg, "possible break-even") == height_of(svg, "no gain"));
  CHECK(height_of(svg, "tested bracket") > height_of(svg, "no gain"));
}

TEST_CASE("small throughputs have numbers, and names beside them move no title", "[report]") {
  const std::vector<Series> one{
      {"batch 64, strategy fsd", nullptr, {{1, 0.012, 0.012, 0.012}, {2, 0.024, 0.024, 0.024}}}};
  const std::string svg =
      draw({"throughput",
            0,
            "",
            "",
            "title_text = 'A title'\nx_label = 'x'\ny_label = 'y'\n" + series_definitions(one) +
                value_tics(one, /*is_log=*/false) + gnuplot_array("ideal_from", {"1"}) +
                gnuplot_array("ideal_per_device", {"0.012"})});
  CHECK_THAT(svg, Contains(">0.01<"));
  CHECK(place_of(svg, "A title") == Approx(320.0).margin(30.0));
}

// gnuplot counts its marks from 0: a filled dot, a filled square.
TEST_CASE("measured series beside projections have a mark each", "[report]") {
  const std::string svg =
      draw({"projection",
            0,
            "",
            "",
            "title_text = ''\nx_label = 'x'\ny_label = 'y'\n"
            "$measured << EOD\n1 1 1 1 0\n\n\n1 2 2 2 0\n\n\nEOD\n"
            "$projected << EOD\n2 1 1 1\n\n\n2 2 2 2\n\n\nEOD\n"
            "$line << EOD\n2 1 1 1\n\n\n2 2 2 2\n\n\nEOD\n"
            "series_count = 2\narray series_name[2] = ['a', 'b']\nx_least = 1\nx_most = 2\n"});
  CHECK_THAT(svg, Contains("'#gpPt6'") && Contains("'#gpPt4'"));
}

TEST_CASE("no legend is on the data, and bands are named in their colours", "[report]") {
  const ReportInput input = test::read_sample();
  for (const FigurePlan& plan : plan_figures(input)) {
    const std::map<std::string, std::pair<std::string, std::string>> below{
        {"speedup", {"no gain", "possible break-even"}}, {"throughput", {"ideal", ""}}};
    const auto names = below.find(plan.kind);
    if (names == below.end()) {
      continue;
    }
    const std::string svg = draw(plan);
    const std::string tic = plan.kind == "speedup" ? "256" : "4";
    for (const std::string& name : {names->second.first, names->second.second}) {
      INFO(plan.path << ": " << name);
      CHECK((name.empty() || height_of(svg, name) > height_of(svg, tic)));
    }
  }
}

TEST_CASE("efficiency is drawn below the speedup from three numbers of devices on", "[report]") {
  ReportInput input = test::read_sample();  // 1, 2 and 4 devices
  const FigurePlan with = plan_of(plan_figures(input), "speedup");
  CHECK(with.definitions.find("has_efficiency = 1\n") != std::string::npos);
  const std::string svg = draw(with);
  CHECK(height_of(svg, "efficiency (%)") > height_of(svg, "speedup over the baseline"));

  std::erase_if(input.results.comparisons,
                [&](const ComparisonRow& row) { return input.cell(row.cell_id).devices == 4; });
  input.make_index();
  const FigurePlan without = plan_of(plan_figures(input), "speedup");
  CHECK(without.definitions.find("has_efficiency = 0\n") != std::string::npos);
  CHECK(draw(without).find("efficiency") == std::string::npos);
}

TEST_CASE("long names of a speedup's series have the study's labels, and stand below the figure",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto drawn = [&] {
    return speedup_figures(input, group_cells(input).front()).front().definitions;
  };
  const std::string name = "env.OMPI_MCA_coll_tuned_allreduce_algorithm";
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({name, "recursive_doubling", ValueKind::kText, true});
  }
  CHECK(plot_height_of(draw(plan_of(plan_figures(input), "speedup"))) >= 250.0);
  input.declared.labels[name] = "algorithm";
  CHECK(drawn().find(", algorithm=recursive") != std::string::npos);
}

TEST_CASE("speedups that are close to each other have numbers beside them", "[report]") {
  ReportInput input = test::read_sample();
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.value) {
      row.value = 1.0 + 0.01 * static_cast<double>(row.cell_id % 3);
      row.lo = *row.value - 0.01;
      row.hi = *row.value + 0.01;
    }
  }
  input.make_index();
  const std::string svg = draw(plan_of(plan_figures(input), "speedup"));
  for (const char* number : {"0.99", "1", "1.01", "1.02", "1.03"}) {
    INFO(number);
    CHECK(svg.find(std::string(">") + number + "<") != std::string::npos);
  }
}

TEST_CASE("the front of cost and time is named below its figure", "[report]") {
  const ReportInput input = test::read_sample();
  const std::string svg = draw(plan_of(plan_figures(input), "cost"));
  const double axis = height_of(svg, "hours for a million samples");
  for (const char* name :
       {"4 devices, batch 1024", "2 devices, batch 1024", "1 device, batch 1024"}) {
    CHECK(height_of(svg, name) > axis);
  }
  CHECK(plot_height_of(svg) >= 250.0);
}

// The sample's batches of 64, 256 and 1024 as values of an axis of the user's.
FigurePlan along_offsets(const std::array<std::string, 3>& values) {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    const std::size_t at = cell.batch_global == 64 ? 0 : cell.batch_global == 256 ? 1 : 2;
    cell.parameters.push_back({"offset", values[at], ValueKind::kInteger, true});
  }
  input.make_index();
  for (ThresholdRow& row : input.results.thresholds) {
    row.along = "offset";
    row.estimate.reset();
    row.bracket_lo.reset();
  }
  return plan_of(plan_figures(input), "speedup");
}

TEST_CASE("a speedup's figure has the values of an axis that are not above 0", "[report]") {
  const FigurePlan plan = along_offsets({"-8", "0", "8"});

  CHECK(plan.definitions.find("x_first = -8\nx_last = 8\nx_nearest = 8\n") != std::string::npos);
  CHECK(plan.definitions.find("'Speedup: 0.875 to 3.11'") != std::string::npos);
  const std::string svg = draw(plan);
  CHECK(height_of(svg, "-8") == height_of(svg, "0"));
  CHECK(place_of(svg, "0") - place_of(svg, "-8") ==
        Approx(place_of(svg, "8") - place_of(svg, "0")).margin(0.3));
}

// On a linear axis 0 and 5 would be half a pixel apart. Here the places are those of
// asinh(1) = 0.8814 and asinh(1024) = 7.6246.
TEST_CASE("tics beside 0 are apart however far the axis goes", "[report]") {
  const std::string svg = draw(along_offsets({"0", "5", "5120"}));

  const double width = place_of(svg, "5120") - place_of(svg, "0");
  CHECK((place_of(svg, "5") - place_of(svg, "0")) / width == Approx(0.8814 / 7.6246).margin(0.002));
}

// As scripts had it that were copied before axes could reach 0.
TEST_CASE("a user's script with a logarithmic axis draws the values above 0", "[report]") {
  const test::ScratchFolder folder;
  folder.write("speedup.gp",
               "set logscale x 2\npad = (real(x_most) / x_least) ** 0.05\n"
               "set xrange [x_least / pad : x_most * pad]\nset logscale y 2\nset ylabel 'mine'\n"
               "plot for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title '' "
               "with yerrorbars\n");
  const auto draw_own = [&](const FigurePlan& plan) {
    return draw_figures({plan}, {folder.path(), SCALESTUDY_SOURCE_DIR "/templates/figures"}).at(0);
  };
  const FigurePlan some = along_offsets({"0", "5", "5120"});
  CHECK(some.definitions.find("x_least = 5\nx_most = 5120\nx_first") != std::string::npos);
  const std::string svg = draw_own(some);
  CHECK(place_of(svg, "5120") > place_of(svg, "5"));
  CHECK(svg.find(">0<") == std::string::npos);

  CHECK(draw_own(along_offsets({"-2", "-1", "0"})).find(">mine<") != std::string::npos);
}

}  // namespace

TEST_CASE("a figure in pieces says what each of them shows", "[report]") {
  ReportInput input = test::read_sample();
  for (EstimateRow& row : input.results.estimates) {
    const bool is_large = input.cell(row.cell_id).batch_global == 1024;
    if (is_large && (row.metric == "throughput" || row.metric.ends_with("_time_s"))) {
      for (std::optional<double>* value : {&row.value, &row.lo, &row.hi}) {
        *value = *value ? std::optional(1000.0 * **value) : std::nullopt;
      }
    }
  }
  input.make_index();

  CHECK_THAT(test::alt_of(input, "throughput"), Contains("4 devices, batch 256"));
  CHECK_THAT(test::alt_of(input, "throughput_2"), Contains("4 devices, batch 1024"));
  CHECK_THAT(test::alt_of(input, "breakdown"), Contains("in the longest, 1 device, batch 256"));
  CHECK_THAT(test::alt_of(input, "breakdown_2"), Contains("in the longest, 1 device, batch 1024"));
}

// 351 units for title, scale and key, and 42 for each of two and of nine bars with long names.
TEST_CASE("each bar has a line of its own, and a long name above it", "[report]") {
  const auto figure = [](const ReportInput& input) {
    return draw(plan_of(plan_figures(input), "breakdown"));
  };
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({"env.A_RATHER_LONG_NAME", "1", ValueKind::kText, true});
  }
  const std::string all = figure(input);
  std::erase_if(input.cells, [](const CellRow& cell) {
    return cell.batch_global != 64 || cell.devices > 2 || cell.role != CellRole::kMeasured;
  });
  input.results.comparisons.clear();
  input.results.thresholds.clear();
  input.index = {};
  input.make_index();
  const std::string two = figure(input);

  CHECK_THAT(two, Contains("viewBox=\"0 0 640 435\""));
  CHECK_THAT(two, Contains("2 devices, env.A_RATHER_LONG_NAME=1<"));
  CHECK_THAT(all, Contains("viewBox=\"0 0 640 729\""));
  CHECK_THAT(all, !Contains("rotate(30"));
}
