// Reads argv into a verb with its options set. Only options.cc knows CLI11.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/verb.h"

namespace scalestudy {

struct Invocation {
  Globals globals;
  std::optional<Verb> verb;  // absent: print `message` and end with `exit_code`
  std::string message;       // help or version, for stdout; "" if there is a verb
  ExitCode exit_code = ExitCode::kDone;
};

// Throws Error{kUsage} that says what is wrong and which --help to read.
Invocation parse_options(int argc, const char* const* argv);

}  // namespace scalestudy
