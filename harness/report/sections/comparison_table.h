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

// A row of such a table: a cell and its comparison. with_cell_columns() takes it like a pointer to
// the cell.
struct CellComparison {
  const CellRow* cell = nullptr;
  const ComparisonRow* row = nullptr;

  const CellRow& operator*() const { return *cell; }
};

// The cells of the group that have a comparison of this quantity ("speedup"), each with it.
std::vector<CellComparison> compared_cells(const ReportInput& input,
                                           const Group& group,
                                           const std::string& quantity);

// Sets the list remarks (cells, remark) of tables of these comparisons: what the columns do not
// say. Cells with the same remark share a row. The list is empty beyond ten remarks, too many to
// read.
void add_remarks(View::List& tables,
                 const ReportInput& input,
                 const std::vector<const ComparisonRow*>& rows);

// The tags of the list remarks in the table of that name.
Tags remark_tags(const std::string& name);

// A list of one table of these comparisons, with its remarks; empty without rows.
View::List comparison_table(const ReportInput& input,
                            const std::vector<Column<CellComparison>>& columns,
                            const std::vector<CellComparison>& rows);

// The tags of such tables: group_table_tags() and remark_tags().
Tags comparison_table_tags(const std::string& name,
                           const std::string& meaning,
                           const std::vector<ColumnHead>& heads,
                           const std::string& figures = "");

}  // namespace scalestudy::report
