// A table's CSV file -> its cells.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/yaml/problem.h"

namespace scalestudy::audit {

// Fills table.rows from CSV text. The head must be the names of table.columns in their order.
//   path  of the file, for places.
// Wrong columns, unparsable figures and disagreeing units become problems; with problems the rows
// are incomplete.
void read_cells(const std::string& text,
                const std::string& path,
                Table& table,
                std::vector<Problem>& problems);

// The figures of one column as it declares them, parallel to the texts, or what is wrong with each.
// Zeros of percentages and ratios count as digits where another text shows a digit in their place.
std::vector<ParsedFigure> parse_column(const std::vector<std::string>& texts,
                                       const Declaration& declared);

}  // namespace scalestudy::audit
