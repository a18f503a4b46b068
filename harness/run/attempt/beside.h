// What a study runs beside its trials: setup before, cleanup after, outside their wall time.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/process/launcher.h"

namespace scalestudy {

struct BesideResult {
  bool is_interrupted = false;
  std::optional<Outcome>
      failure;  // "setup: exit code 3: no space left"; nothing when it ended well
};

// Runs `argv` as `trial` would be run, without $SCALESTUDY_OUTPUT, into the files NAME.stdout and
// NAME.stderr beside its own, which OpenLogs closes with them; nothing for an empty one. No reason
// tells `secrets`.
BesideResult run_beside(const std::string& name,
                        const std::vector<std::string>& argv,
                        LaunchRequest trial,
                        const std::vector<std::string>& secrets,
                        Launcher& launcher,
                        const std::atomic<bool>& stop);

inline constexpr const char* kCleanupNote = "cleanup: ";  // how the note of one that failed begins

// The cleanup, which has 10 s left once `stop` is set; its failure becomes a note in `logs`.
void finish_beside(const LaunchCommand& command,
                   LaunchRequest trial,
                   const std::vector<std::string>& secrets,
                   Launcher& launcher,
                   const std::atomic<bool>& stop,
                   std::vector<LogRow>& logs);

}  // namespace scalestudy
