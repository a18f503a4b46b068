// What an error blames of a verb as a user typed it.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/verb.h"

namespace scalestudy {

// The problem with "SCALESTUDY_BLOCKS=x: ..." in place of "--blocks x: ..." if no word gives that
// option, so that its variable has set it; the same for every option with a variable.
// - verb: nullptr: none, so that its options are those of every verb.
// - words: the command line without the program.
std::string blame_variables(std::string problem,
                            const Verb* verb,
                            const std::vector<std::string>& words);

}  // namespace scalestudy
