// `import runs`: trials of a study from logs of runs that scalestudy did not start.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/cli/terminal.h"
#include "harness/import/runs/find_runs.h"

namespace scalestudy {

struct ImportLogs {
  std::string study;  // file, or name of a stored study
  std::vector<std::string> overrides;
  RunsRequest request;
  bool is_check = false;  // writes nothing
};

// Imports the logs and prints the study's answer; with is_check only lists what it would import.
ExitCode import_logs(const ImportLogs& options, const std::string& results, Terminal& terminal);

}  // namespace scalestudy
