// Programs of this machine that scalestudy asks for something: git, gnuplot, squeue, mpirun.
// What a study names is a launch (run/launcher.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalestudy {

struct ToolLimits {
  double timeout_s = 60.0;
  std::size_t most_bytes = std::size_t{64} << 20U;  // of what it prints, on either stream
};

struct ToolResult {
  bool found = true;  // false: no such program on the PATH
  int exit_code = 0;  // 128 + signal when it was killed
  std::string output;
  std::string errors;  // when it was ended for a limit, that is the last line

  [[nodiscard]] bool is_ok() const { return found && exit_code == 0; }
};

// Starts command[0], found on the PATH, writes `input` to it and reads what it prints until it
// ends. It has no terminal, and does not outlive this process. Throws Error{kInterrupted} when
// `stop_requested` ended it, Error{kInternal} when no process or pipe can be made.
ToolResult run_tool(const std::vector<std::string>& command,
                    const std::string& input = "",
                    const ToolLimits& limits = {});

}  // namespace scalestudy
