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

// Of no study: columns made for it name their tags.
const ReportInput& empty_input();

// The tables of a section, one a group: the list that `table` makes of it (none where there is
// nothing to show), with label and, where figures are of that kind, figures (path).
View::List group_tables(const ReportInput& input,
                        const FigurePaths& figures,
                        const std::string& figure_kind,
                        const std::function<View::List(const Group&)>& table);

// table_tags, and those that group_tables adds.
Tags group_table_tags(const std::string& name,
                      const std::string& meaning,
                      const std::vector<ColumnHead>& heads,
                      const std::string& figures = "");

}  // namespace scalestudy::report
