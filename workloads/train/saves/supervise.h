// Starts a run, and starts it again after the failure it was to meet: a launcher ends with its
// ranks, so that another process must.
#pragma once

#include <span>

namespace scalestudy::train {

// `arguments` FOLDER COMMAND...: makes a folder of its own in FOLDER ("": that of temporary files),
// which the command finds in kFolderVariable (saves.h), and runs the command. If that fails and
// leaves a record of a failure, adds to it when this was known, and runs the command a second time,
// but not after SIGTERM, SIGINT or SIGHUP, which go to the command. Then removes the folder.
// Without MPI. Returns the exit code of the last command, 128 + N if signal N ended it; 2 with a
// line on stderr for bad arguments, or if the folder cannot be made.
int supervise(std::span<const char* const> arguments);

}  // namespace scalestudy::train
