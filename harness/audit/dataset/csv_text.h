// CSV as people and programs write it, with the place of every field.
#pragma once

#include <string>
#include <vector>

#include "harness/yaml/problem.h"

namespace scalestudy::audit {

struct CsvField {
  std::string text;
  int line = 0;    // of the field's first byte, from 1
  int column = 0;  // from 1, in bytes
};

// RFC 4180: comma, fields in double quotes may hold commas, line ends and doubled quotes; LF or
// CRLF. A byte order mark and empty lines are passed over. Text that is not UTF-8, a quote that is
// never closed and text after a closing quote are problems; then the rows read so far are returned.
std::vector<std::vector<CsvField>> parse_csv(const std::string& text,
                                             std::vector<Problem>& problems);

}  // namespace scalestudy::audit
