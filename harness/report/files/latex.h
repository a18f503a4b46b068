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
// "metrics-loss-lower-is-better.tex". Comments above the tabular say what limits all numbers,
// unless trust is high, what all rows share, and how many rows the page leaves out. A line below it
// says whether the study is interim, mixed, emulated or imported, or ran on a busy machine, and
// what † means.
std::map<std::string, std::string> latex_tables(const View& view);

}  // namespace scalestudy::report
