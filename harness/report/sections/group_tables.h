// The tables of a section, one for each group of cells, with the figures of the group.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/figures/figures.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/report/template/table.h"
#include "harness/report/template/tags.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// An input without rows, for making columns only to list their tags.
const ReportInput& empty_input();

// The figure that stands beside the answer: of the speedup, else of the messages, else of the
// throughput of the first group; nullptr without one.
const Figure* first_figure_of(const Figures& figures);

// That figure (path, alt) as a list of one row or none. If it is the first of several, also how
// many they are (count), and the heading that has the others (section, anchor).
View::List first_figure_list(const Figures& figures);

// Rows (path, alt) for all figures of that kind, group by group.
View::List figure_list(const Figures& figures, const std::string& kind);

// The tables of a section: those that `table` makes of each group (none where it has nothing to
// show), with the group's label and the lists figures (path, alt) and further_figures, which leaves
// out the one beside the answer.
// - figure_kind: kind of the figures beside the tables (figures.h); "" for none.
View::List group_tables(const ReportInput& input,
                        const Figures& figures,
                        const std::string& figure_kind,
                        const std::function<View::List(const Group&)>& table);

// The tags of a list of such tables: table_tags(), and those that group_tables() adds.
// - figures: what the figures show; "" for tables without figures.
Tags group_table_tags(const std::string& name,
                      const std::string& meaning,
                      const std::vector<ColumnHead>& heads,
                      const std::string& figures = "");

}  // namespace scalestudy::report
