// What figures show, in words, for readers who cannot see them.
#pragma once

#include <string>

#include "harness/report/figures/figures.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// What the figure of a group shows, from stored rows: "Speedup against its base: 2 devices against
// 1 device faster in all 3 pairs, from ...".
// - kind: the kind of the figure (figures.h).
// - whole: the group; where it has several figures of this kind, `path` tells which cells are
// shown.
std::string alt_text(const ReportInput& input,
                     const std::string& kind,
                     const Group& whole,
                     const std::string& path = {});

// Rows (path, alt) for all figures of that kind, group by group.
View::List figure_list(const ReportInput& input,
                       const FigurePaths& figures,
                       const std::string& kind);

}  // namespace scalestudy::report
