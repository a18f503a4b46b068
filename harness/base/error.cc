// Maps kinds of errors to exit codes.
#include "harness/base/error.h"

#include <algorithm>

namespace scalestudy {

std::string without_nul(std::string text) {
  std::ranges::replace(text, '\0', '?');
  return text;
}

ExitCode exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInternal:
      return ExitCode::kInternalError;
    case ErrorKind::kLocked:
      return ExitCode::kLocked;
    case ErrorKind::kInterrupted:
      return ExitCode::kInterrupted;
    case ErrorKind::kUsage:
    case ErrorKind::kStore:
    case ErrorKind::kMachine:
      return ExitCode::kUsage;
  }
  return ExitCode::kInternalError;
}

}  // namespace scalestudy
