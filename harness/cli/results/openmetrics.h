// A query's answer for a monitoring system.
#pragma once

#include <string>

#include "harness/store/rows/query_result.h"

namespace scalestudy {

// OpenMetrics 1.0 text: a column of numbers is a gauge `scalestudy_NAME`, and the columns of texts
// are the labels of each row's value. NULL is left out, as a label too; ends with "# EOF".
// Throws Error{kUsage} if two rows have the same labels, or a column's name is no name of a metric.
// Source: the specification of OpenMetrics 1.0, text format.
std::string openmetrics(const QueryResult& result);

}  // namespace scalestudy
