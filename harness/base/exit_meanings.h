// When the program ends with which exit code, in words: for --help and docs/reference/cli.md.
#pragma once

#include <span>

#include "harness/base/error.h"

namespace scalestudy {

struct ExitMeaning {
  ExitCode code;
  const char* brief;    // for a list of all codes
  const char* meaning;  // one sentence
};

// Every exit code, in ascending order.
std::span<const ExitMeaning> exit_meanings();

}  // namespace scalestudy
