// The files of a command that decide what its trials do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/run/command/command.h"

namespace scalestudy {

// True of "train.py": its suffix is that of a script.
bool is_script(const std::filesystem::path& file);

// The programs, scripts and configuration files that the command names and that are there, each
// once, as it names them.
// - Programs: the first word, and the executable file that mpirun, env and the like start.
// - Scripts: all arguments, and the first of each command in the text of `sh -c`. Later ones may be
//   what it writes.
// - Configuration files: the first, unless `setup` may make them.
// In the text of `sh -c`, `cd` is followed, in ( ) up to the bracket. A script that an earlier
// command mentions is left out, since it may be made there; programs and configuration files are
// those of the first command only.
std::vector<std::string> named_programs(const LaunchCommand& command);

// The file that a name of named_programs() means; "" if PATH has no such program.
std::filesystem::path named_file(const LaunchCommand& command, const std::string& name);

}  // namespace scalestudy
