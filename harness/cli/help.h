// The text of --help, from the tables of verbs and their options.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/cli/verb.h"

namespace scalestudy {

// The help of the program: the verbs in groups, its own options, exit codes.
// - width: columns of the terminal; lines are never longer than 80.
std::string program_help(const std::vector<Verb>& verbs, std::size_t width);

// The help of one verb: its arguments and options, the environment variables that set them,
// details and examples.
std::string verb_help(const Verb& verb, std::size_t width);

}  // namespace scalestudy
