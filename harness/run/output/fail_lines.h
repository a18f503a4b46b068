// Lines of output that tell of an error although the program ended with exit code 0.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace scalestudy {

struct FailLines {
  std::string declared;    // `stderr line 3 matches "Traceback": ...`, the first; "" if none does
  std::string usual;       // likewise of a line as programs print it when something went wrong
  std::int64_t count = 0;  // of lines like `usual`
  std::string unread;      // what no pattern has read, `stderr is UTF-16`; "" if all was read
};

// - fail_if: the study's regular expressions, searched in each line (output_text.h); those that RE2
//   does not take match nothing.
// - is_log: `out` is a log of both streams; `err` is not read.
FailLines find_fail_lines(std::istream& out,
                          std::istream& err,
                          const std::vector<std::string>& fail_if,
                          bool is_log = false);

}  // namespace scalestudy
