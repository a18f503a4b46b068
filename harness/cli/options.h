// argv -> a verb with its options set. The only file of the program that knows CLI11 is options.cc.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/verb.h"

namespace scalestudy {

struct Invocation {
  Globals globals;
  std::optional<Verb> verb;  // absent: only `message` is to be printed (help, version)
  std::string message;       // for stdout
};

// Throws Error{kUsage} with what is wrong and which --help to read.
Invocation parse_options(int argc, const char* const* argv);

}  // namespace scalestudy
