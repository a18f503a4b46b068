// Fields as a line of CSV (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

// A field in quotes, its own quotes doubled.
std::string csv_quoted(const std::string& field);

// One line with its newline; fields with a comma, a quote or a line break are quoted, and so is an
// empty field that is alone: many readers skip a blank line.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace scalestudy
