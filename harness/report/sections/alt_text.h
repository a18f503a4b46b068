// What a figure shows, in words: for readers who do not see it.
#pragma once

#include <string>

#include "harness/report/figures/figures.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// "Speedup against its base: 2 devices against 1 device faster in all 3 pairs, from ..."; what is
// found in the figure of that kind (figures.h), from stored rows.
//   path  of the figure: of several rates that are drawn alike it says which.
std::string alt_text(const ReportInput& input,
                     const std::string& kind,
                     const Group& group,
                     const std::string& path = {});

// Rows (path, alt) of all figures of that kind, group by group.
View::List figure_list(const ReportInput& input,
                       const FigurePaths& figures,
                       const std::string& kind);

}  // namespace scalestudy::report
