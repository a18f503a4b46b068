// Text of users and machines inside Markdown.
#pragma once

#include <string>

#include "harness/store/rows/query_result.h"

namespace scalestudy::report {

// The text escaped so that it shows literally, on one line: nothing in it becomes emphasis, a link,
// HTML, a formula or a further table cell.
std::string escape_markdown(const std::string& text);

// The result as a GitHub table, without a last newline: numbers are aligned right and have six
// digits, NULL is an empty cell. A result without rows still has its head.
std::string markdown_table(const QueryResult& result);

// The text with each run of blank lines outside code fences made one line, and one newline at the
// end.
std::string tidy_markdown(const std::string& text);

}  // namespace scalestudy::report
