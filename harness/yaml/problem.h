// What is wrong with a file somebody wrote, and where.
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

struct Problem {
  int line = 0;         // from 1; 0 when the whole file is meant
  int column = 0;       // from 1
  std::string message;  // what was found, what is allowed, what to try
};

// All of them as "file:line:col: message", each with its line and a caret.
//   text  the whole file, from which the lines are taken.
std::string format_problems(const std::vector<Problem>& problems,
                            const std::string& text,
                            const std::string& path);

}  // namespace scalestudy
