// Runs a program as a filter: text in, text out.
#pragma once

#include <string>
#include <vector>

namespace scalestudy::report {

struct FilterResult {
  bool found = true;  // false: no such program on the PATH
  int exit_code = 0;  // 128 + signal when it was killed
  std::string output;
  std::string errors;
};

// Starts command[0], found on the PATH, writes `input` to it and reads what it writes until it
// ends. Throws Error{kInternal} when no process or pipe can be made.
FilterResult run_filter(const std::vector<std::string>& command, const std::string& input);

}  // namespace scalestudy::report
