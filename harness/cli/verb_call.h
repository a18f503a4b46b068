// A verb as a user types it, for "next: ..." and other advice, and what an error blames of it.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/verb.h"

namespace scalestudy {

// The command line of a verb on this results folder, quoted for a shell: "scalestudy --results
// 'my results' run STUDY". The default folder is left out.
std::string call_of(const std::string& results, const std::string& verb, const std::string& study);

// The problem with "SCALESTUDY_BLOCKS=x: ..." in place of "--blocks x: ..." if no word gives that
// option, so that its variable has set it; the same for every option with a variable.
// - verb: nullptr: none, so that its options are those of every verb.
// - words: the command line without the program.
std::string blame_variables(std::string problem,
                            const Verb* verb,
                            const std::vector<std::string>& words);

}  // namespace scalestudy
