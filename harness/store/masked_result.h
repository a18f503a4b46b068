// Secrets out of answers, before a format escapes them beyond recognition.
#pragma once

#include <string>
#include <vector>

#include "harness/store/rows/query_result.h"

namespace scalestudy {

// The answer with "(secret)" wherever one of the values (of secret_values) stands in a text.
QueryResult masked(QueryResult result, const std::vector<std::string>& values);

}  // namespace scalestudy
