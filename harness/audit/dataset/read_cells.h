// A table's CSV file -> its cells.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/yaml/problem.h"

namespace scalestudy::audit {

// Fills table.rows from CSV text. The head must be the names of table.columns in their order.
// Wrong columns, unparsable figures and disagreeing units become problems; with problems the rows
// are incomplete.
// - path: the CSV file's, for the places of cells.
void read_cells(const std::string& text,
                const std::string& path,
                Table& table,
                std::vector<Problem>& problems);

// The figures of one column, read as `declared` says, parallel to the texts; or what is wrong with
// a text. Trailing zeros count as digits if another text of the column shows a digit in their
// place: of percentages and ratios any; with Zeros::kShown a larger number in the same unit that
// does not end in 5, or two such numbers with as many digits, if they are more than those that end
// in 0 or 5. Figures with a spread or an interval neither show nor get such digits then.
// Integers all of which are multiples of 5 (25, 50) are taken as rounded to that, unless zeros are
// digits.
std::vector<ParsedFigure> parse_column(const std::vector<std::string>& texts,
                                       const Declaration& declared);

}  // namespace scalestudy::audit
