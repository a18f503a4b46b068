// Text and tables for a paper in LaTeX.
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

// The text as LaTeX that shows it literally, in any engine and font encoding.
std::string latex_text(const std::string& text);

struct LatexColumn {
  std::string heading;     // as text
  bool is_number = false;  // to the right
};

// A `tabular` with the rules of booktabs, which needs \usepackage{booktabs}.
// - rows: LaTeX, a text for each column.
std::string latex_tabular(const std::vector<LatexColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows);

}  // namespace scalestudy
