// A study file for a user's command, from one run of it.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"

namespace scalestudy {

// What `init FILE -- COMMAND` was asked for.
struct InitCommand {
  std::vector<std::string> command;  // program and arguments, or one line for the shell
  std::vector<std::string> lists;    // texts of -L: "batch_global=32,64"
  double limit_s = 60.0;             // of the run
};

// Runs the command once with the first value of each list, tells what it finds in its output, and
// returns the text of a study file named `name`. {devices} and the batch size have values of their
// own if no list gives them any. A run that reaches its limit is ended and read as far as it came.
//
// Throws Error{kUsage} for another name in braces without a list and for a command that fails, and
// Error{kInterrupted} if a signal stops the run.
std::string study_of_command(const InitCommand& init, const std::string& name, Terminal& terminal);

}  // namespace scalestudy
