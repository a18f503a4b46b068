// The one exception type for errors of the user or the machine, and the program's exit codes.
#pragma once

#include <stdexcept>
#include <string>

namespace scalestudy {

// harness/base/exit_meanings.h says when; tests/cli checks that the program keeps to these codes.
enum class ExitCode {
  kDone = 0,           // everything asked for was done
  kInternalError = 1,  // a defect of scalestudy
  kUsage = 2,          // bad usage, study file, template, store or folder
  kFailedTrials = 3,   // the run finished, with trials that failed
  kTargetMissed = 4,   // a target was missed, a report no longer matches its store, or a published
                       // figure does not follow (when gating)
  kInconclusive = 5,   // a target could not be decided, or no figure checked (when gating)
  kLocked = 75,        // another run holds the lock of this results folder; try again later
  kInterrupted = 130,  // stopped by SIGINT or SIGTERM; `run` continues it
};

enum class ErrorKind {
  kInternal,
  kUsage,    // command line, study file or template
  kStore,    // results.db cannot be opened, is newer, is not a database, cannot be written
  kMachine,  // something this machine lacks: mpirun, a workload program, gnuplot
  kLocked,
  kInterrupted,  // a signal ended it before there was anything to continue
};

// Text for an exception, whose what() ends at a NUL: with "?" for each.
std::string without_nul(std::string text);

class Error : public std::runtime_error {
 public:
  // The message says where, what was found, what is required and what to try.
  Error(ErrorKind kind, const std::string& message)
      : std::runtime_error(without_nul(message)), kind_(kind) {}

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

ExitCode exit_code(ErrorKind kind);

}  // namespace scalestudy
