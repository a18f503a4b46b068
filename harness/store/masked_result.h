// Masks secrets in query results, before a format escapes them beyond recognition.
#pragma once

#include <string>
#include <vector>

#include "harness/store/rows/query_result.h"

namespace scalestudy {

// The result with "(secret)" in place of the values (from secret_values) in its texts.
QueryResult masked(QueryResult result, const std::vector<std::string>& values);

}  // namespace scalestudy
