// The study that `time` runs: whole commands as an ordinary study file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalestudy {

// The parameters of a study of several commands.
inline constexpr const char* kTimedCommand = "command";  // the command line
inline constexpr const char* kTimedName = "name";        // its name, if it has one

// What `time` was asked for.
struct TimedCommands {
  std::vector<std::string> commands = {};  // as typed, one or more
  std::vector<std::string> lists = {};     // texts of -L: "level=1,6,9"
  std::vector<std::string> names = {};     // what reports call the commands; empty: their text
  std::string prepare = {};                // run before each trial; empty: nothing
  std::int64_t runs = 10;                  // trials of each command
  bool has_shell = true;                   // false: split into words and started directly
};

// The text of a study file named `name` that times these commands in the folder `folder`. The first
// command, with the first value of each list, is the baseline.
//
// One command with lists is the study's command, and its lists are axes. Otherwise commands are the
// values of the parameter `command`.
//
// Throws Error{kUsage} for a list that a command does not use, a name in braces without a list,
// equal commands, a number of names that is not that of the commands, and a whole number as the
// only name, which is more likely meant as `runs`.
std::string time_study_text(const TimedCommands& timed,
                            const std::string& name,
                            const std::string& folder);

// The words of a command that is started without a shell, by its quoting rules: spaces separate,
// quotes and backslashes keep. Nothing is expanded. Throws Error{kUsage} for a quote without end.
std::vector<std::string> split_words(const std::string& command);

}  // namespace scalestudy
