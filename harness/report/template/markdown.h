// Text of users and machines inside Markdown.
#pragma once

#include <string>

#include "harness/store/rows/query_result.h"

namespace scalestudy::report {

// Text that shows as it is, on one line: nothing in it becomes emphasis, a link, HTML, a formula or
// a further table cell.
std::string escape_markdown(const std::string& text);

// A GitHub table, without a last newline: numbers to the right with six digits, NULL as an empty
// cell. An answer without rows still has its head.
std::string markdown_table(const QueryResult& result);

// Runs of blank lines become one, outside code fences; the text ends with one newline.
std::string tidy_markdown(const std::string& text);

}  // namespace scalestudy::report
