// Starts a run, and starts it again after the failure it was to meet: a launcher ends with its
// ranks, so that another process must.
#pragma once

#include <span>
#include <string>

namespace scalestudy::train {

// `arguments` FOLDER COMMAND...: makes a folder of its own in FOLDER ("": that of temporary files),
// which the command finds in kFolderVariable (saves.h), runs the command, and a second time where
// that left a record of a failure, to which it adds when it knew of it. Then removes the folder.
// SIGTERM, SIGINT and SIGHUP go to the command. Without MPI. Returns the exit code of the last
// command, 128 + N where signal N ended it; 2 with a line on stderr for arguments that are none.
int supervise(std::span<const char* const> arguments);

}  // namespace scalestudy::train
