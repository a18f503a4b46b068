// Tables that a program printed, in which every digit counts.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/yaml/problem.h"

namespace scalestudy {

// A text of the imported file and its place; lines and columns count from 1.
struct PlacedText {
  std::string text;
  int line = 0;
  int column = 0;
};

// A column of a tool's table; `at` are conditions that hold for the figures of this column only.
audit::Column make_column(const std::string& name,
                          const std::string& quantity,
                          const std::string& unit = "",
                          audit::Conditions at = {});

// The field as a cell of that column. Zeros that a program prints are digits: "15040" is rounded to
// ones, not to tens. A field that is no figure of the column's quantity is a problem.
audit::Cell read_tool_cell(const audit::Column& column,
                           const PlacedText& field,
                           const std::string& path,
                           std::vector<Problem>& problems);

// A number in the text around the tables. `meaning` has its quantity, unit and conditions.
audit::Statement make_tool_statement(const std::string& id,
                                     const audit::Column& meaning,
                                     const PlacedText& field,
                                     const std::string& path,
                                     std::vector<Problem>& problems);

}  // namespace scalestudy
