#include "harness/report/sections/comparison_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/report/input/cell_names.h"
#include "harness/report/sections/group_tables.h"
#include "harness/text/text.h"

namespace scalestudy::report {

std::vector<CellComparison> compared_cells(const ReportInput& input,
                                           const Group& group,
                                           const std::string& quantity) {
  std::vector<CellComparison> rows;
  for (const CellRow* cell : group.cells) {
    if (const ComparisonRow* row = input.comparison(cell->id, quantity)) {
      rows.push_back({cell, row});
    }
  }
  return rows;
}

void add_remarks(View::List& tables,
                 const ReportInput& input,
                 const std::vector<const ComparisonRow*>& rows) {
  constexpr std::size_t most_remarks = 10;
  std::vector<std::pair<std::string, std::vector<std::string>>> together;
  for (const ComparisonRow* row : rows) {
    auto found = std::find_if(together.begin(), together.end(), [&](const auto& entry) {
      return entry.first == row->remark;
    });
    if (found == together.end()) {
      found = together.insert(together.end(), {row->remark, {}});
    }
    found->second.push_back(cell_name(input, input.cell(row->cell_id)));
  }
  std::erase_if(together, [](const auto& entry) { return entry.first.empty(); });
  View::List remarks;
  for (const auto& [remark, cells] : together) {
    if (together.size() <= most_remarks) {
      remarks.emplace_back();
      remarks.back().set_text(
          "cells", cells.size() == rows.size() ? "All rows" : begin_line(input, list_some(cells)));
      remarks.back().set_text("remark", remark);
    }
  }
  for (View& table : tables) {
    table.set_list("remarks", remarks);
  }
}

Tags remark_tags(const std::string& name) {
  return {{name + ".remarks",
           TagKind::kList,
           "what its columns do not say; none where there are more than ten"},
          {name + ".remarks.cells", TagKind::kText, "All rows, or the cells it is about"},
          {name + ".remarks.remark",
           TagKind::kText,
           "how far apart cells may be, what was left out ..."}};
}

View::List comparison_table(const ReportInput& input,
                            const std::vector<Column<CellComparison>>& columns,
                            const std::vector<CellComparison>& rows) {
  std::vector<const ComparisonRow*> compared;
  for (const CellComparison& row : rows) {
    compared.push_back(row.row);
  }
  View::List tables = one_table(columns, rows);
  add_remarks(tables, input, compared);
  return tables;
}

Tags comparison_table_tags(const std::string& name,
                           const std::string& meaning,
                           const std::vector<ColumnHead>& heads,
                           const std::string& figures) {
  return group_table_tags(name, meaning, heads, figures) + remark_tags(name);
}

}  // namespace scalestudy::report
