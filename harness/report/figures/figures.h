// Which figures a study has, and what goes into each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// One figure before it is drawn.
struct FigurePlan {
  std::string kind;         // throughput | breakdown | projection | ...: its script is <kind>.gp
  std::size_t group = 0;    // index into group_cells()
  std::string path;         // figures/throughput-model-mlp-4096.svg
  std::string alt;          // what it shows, for readers who cannot see it
  std::string definitions;  // gnuplot: data and texts; templates/README.md lists them
};

// A figure for those who show it.
struct Figure {
  std::string path;
  std::string alt;
};

// The figures that were made, by kind and index of the group in group_cells().
using Figures = std::map<std::pair<std::string, std::size_t>, std::vector<Figure>>;

// The figures that have enough points to show, in a fixed order. What is too much for one figure is
// drawn in several of the same kind and group.
std::vector<FigurePlan> plan_figures(const ReportInput& input);

Figures figures_of(const std::vector<FigurePlan>& plans);

// kPdf: vectors with the fonts in the file, black on white, for a paper.
enum class FigureFormat { kSvg, kPdf };

// A figure for each plan, drawn with style.gp and <kind>.gp, each from the first of `folders` that
// has it. Throws as draw_svgs() does, and Error{kUsage} when no folder has a script.
std::vector<std::string> draw_figures(const std::vector<FigurePlan>& plans,
                                      const std::vector<std::filesystem::path>& folders,
                                      FigureFormat format = FigureFormat::kSvg);

}  // namespace scalestudy::report
