// Text and tables for a paper in LaTeX.
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

// The text as LaTeX that shows it literally, in any engine and font encoding unless
// needs_unicode_engine().
std::string latex_text(const std::string& text);

// True if pdfLaTeX may lack a character of it: one that is neither ASCII nor of a language in Latin
// script nor punctuation.
bool needs_unicode_engine(const std::string& latex);

struct LatexColumn {
  std::string heading;     // as text
  bool is_number = false;  // to the right
};

// A `tabular` with the rules of booktabs, which needs \usepackage{booktabs}.
// - rows: LaTeX, a text for each column.
std::string latex_tabular(const std::vector<LatexColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows);

}  // namespace scalestudy
