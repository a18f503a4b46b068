// A query's answer as a table for a paper.
#pragma once

#include <string>

#include "harness/store/rows/query_result.h"

namespace scalestudy {

// A LaTeX `tabular` with the rules of booktabs, which needs \usepackage{booktabs}: numbers with six
// digits and to the right, NULL as a dash, every text literally. An answer without rows has its
// head alone.
std::string latex_table(const QueryResult& result);

}  // namespace scalestudy
