// The tables of a report as LaTeX, for a paper.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/template/view.h"

namespace scalestudy::report {

// The first words of each such file, a comment.
inline constexpr const char* kLatexMark = "% scalestudy:";

// The tables with the columns that the page shows, by file name: "speedups.tex",
// "metrics-loss-lower-is-better.tex". What all rows share is a comment above the tabular, as is
// how many rows the page leaves out.
std::map<std::string, std::string> latex_tables(const View& view);

}  // namespace scalestudy::report
