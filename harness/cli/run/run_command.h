// `run` as other verbs call it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/cli/run/run_progress.h"
#include "harness/cli/terminal.h"

namespace scalestudy {

// What `run` was asked for.
struct RunCommand {
  std::string study;
  std::vector<std::string> overrides;
  std::vector<std::string> against;  // what to run beside it
  bool accept_changes = false;
  bool retry_failed = false;
  bool check = false;
  bool profile = false;  // a check with traces
  bool no_wait = false;
  bool gate = false;   // exit 4 or 5 by the study's targets, or by its sides
  std::string settle;  // "": not asked for; "true", or how long it may take
  std::optional<std::int64_t> max_trials;
  std::string blocks;   // "3" or "3-5", from 1; empty: all
  std::string machine;  // of machines.yaml; empty: none
  // Tells how trials begin and end.
  std::function<void(const Progress&, const Store&, Terminal&)> show = show_progress;
};

// Runs what the study lacks, analyses it and tells how it ended.
ExitCode run_command(const RunCommand& options, const std::string& results, Terminal& terminal);

}  // namespace scalestudy
