// Figures of a report as a test finds them: their paths, texts, and heights in the SVG.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "harness/report/figures/figures.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

inline std::vector<std::string> paths_of(const report::ReportInput& input,
                                         const std::string& kind) {
  std::vector<std::string> paths;
  for (const report::FigurePlan& plan : report::plan_figures(input)) {
    if (plan.kind == kind) {
      paths.push_back(plan.path);
    }
  }
  return paths;
}

// What the figure of that name ("throughput_2") shows, in words.
inline std::string alt_of(const report::ReportInput& input, const std::string& name) {
  const std::vector<report::FigurePlan> plans = report::plan_figures(input);
  const auto found =
      std::ranges::find(plans, "figures/" + name + ".svg", &report::FigurePlan::path);
  REQUIRE(found != plans.end());
  return found->alt;
}

// The figure as SVG, by the scripts of templates/.
inline std::string draw(const report::FigurePlan& plan) {
  return report::draw_figures({plan}, {SCALESTUDY_SOURCE_DIR "/templates/figures"}).at(0);
}

inline const report::FigurePlan& plan_of(const std::vector<report::FigurePlan>& plans,
                                         const std::string& kind) {
  const auto found = std::ranges::find(plans, kind, &report::FigurePlan::kind);
  REQUIRE(found != plans.end());
  return *found;
}

// How far down the text is drawn, in pixels of the figure.
inline double height_of(const std::string& svg, const std::string& text) {
  const std::size_t at = svg.find(">" + text + "<");
  INFO("looking for " << text);
  REQUIRE(at != std::string::npos);
  const std::size_t place = svg.rfind("translate(", at);
  return std::stod(svg.substr(svg.find(',', place) + 1));
}

// How far right the text is drawn, likewise.
inline double place_of(const std::string& svg, const std::string& text) {
  const std::size_t at = svg.find(">" + text + "<");
  INFO("looking for " << text);
  REQUIRE(at != std::string::npos);
  return std::stod(svg.substr(svg.rfind("translate(", at) + std::string("translate(").size()));
}

// The height of the plot itself, or of the upper one of two, in pixels of the figure: gnuplot draws
// the two lines of its axes as a path of their own, "M74,10 L74,300 L600,300".
inline double plot_height_of(const std::string& svg) {
  static const std::regex axes(R"('M([\d.]+),([\d.]+) L\1,([\d.]+) L[\d.]+,\3 )");
  std::smatch ends;
  REQUIRE(std::regex_search(svg, ends, axes));
  return std::stod(ends[3]) - std::stod(ends[2]);
}

}  // namespace scalestudy::test
