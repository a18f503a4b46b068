// Tables whose rows are cells beside what they are compared with.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/report/template/table.h"
#include "harness/report/template/tags.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// A cell of a table, and what it is compared with there; to columns of cells like a pointer to it.
struct CellComparison {
  const CellRow* cell = nullptr;
  const ComparisonRow* row = nullptr;

  const CellRow& operator*() const { return *cell; }
};

// Cells of the group that have this comparison, with it.
std::vector<CellComparison> compared_cells(const ReportInput& input,
                                           const Group& group,
                                           const std::string& quantity);

// Sets the list remarks (cells, remark) of tables of these comparisons: what their columns do not
// say, cells that share it together; none where they are too many to be read.
void add_remarks(View::List& tables,
                 const ReportInput& input,
                 const std::vector<const ComparisonRow*>& rows);

Tags remark_tags(const std::string& name);

// The table of these comparisons, with its remarks.
View::List comparison_table(const ReportInput& input,
                            const std::vector<Column<CellComparison>>& columns,
                            const std::vector<CellComparison>& rows);

Tags comparison_table_tags(const std::string& name,
                           const std::string& meaning,
                           const std::vector<ColumnHead>& heads,
                           const std::string& figures = "");

}  // namespace scalestudy::report
