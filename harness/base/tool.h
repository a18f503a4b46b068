// Runs programs of this machine that scalestudy itself needs: git, gnuplot, squeue, mpirun. The
// programs that a study names go through harness/run/process/launcher.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalestudy {

struct ToolLimits {
  double timeout_s = 60.0;
  std::size_t most_bytes = std::size_t{64} << 20U;  // longest output, on each stream
};

struct ToolResult {
  bool found = true;   // false: no such program on the PATH
  int exit_code = 0;   // 128 + signal if a signal killed it
  std::string output;  // of stdout
  std::string errors;  // of stderr; if a limit ended the program, the last line says so

  [[nodiscard]] bool is_ok() const { return found && exit_code == 0; }
};

// Starts command[0], found on the PATH, writes `input` to its stdin and reads what it prints until
// it ends. The program has no terminal and does not outlive this process. Throws
// Error{kInterrupted} if `stop_requested` ended it, Error{kInternal} if no process or pipe can be
// made.
ToolResult run_tool(const std::vector<std::string>& command,
                    const std::string& input = "",
                    const ToolLimits& limits = {});

}  // namespace scalestudy
