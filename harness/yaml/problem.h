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

// Every problem as "file:line:col: message", with the line of the file and a caret below it.
// - text: the whole file, from which the lines are taken.
std::string format_problems(const std::vector<Problem>& problems,
                            const std::string& text,
                            const std::string& path);

}  // namespace scalestudy
