// A query's answer for a paper, and for a monitoring system.
#pragma once

#include <string>

#include "harness/store/rows/query_result.h"

namespace scalestudy {

// A LaTeX `tabular` with the rules of booktabs, which needs \usepackage{booktabs}: numbers with six
// digits and to the right, NULL as a dash, every text literally. An answer without rows has its
// head alone.
std::string latex_table(const QueryResult& result);

// OpenMetrics 1.0 text: a column of numbers is a gauge `scalestudy_NAME`, and the columns of texts
// are the labels of each row's value. NULL is left out, as a label too; ends with "# EOF".
// Throws Error{kUsage} if two rows have the same labels, or a column's name is no name of a metric.
// Source: the specification of OpenMetrics 1.0, text format.
std::string openmetrics(const QueryResult& result);

}  // namespace scalestudy
