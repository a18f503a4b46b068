// `run --against`: turns a study into one that asks "is it slower than ...?".
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The study `of` with two sides that alternate in every block: the one that `against` names, and
// "here", the program as it is now. Its other questions (thresholds, laws, targets, controls) are
// left out. Its name is "<name>-against-<side>", so that a second call continues it.
// - against: a commit in the git repository of the study's program; or variables, as any number of
//   "NAME=VALUE" or a file of such lines; or "prefix: WORDS...", put before each rank's program.
// - throws: Error{kUsage}, which says what is allowed, if `against` is none of these.
Study study_against(const Study& of, const std::vector<std::string>& against, Terminal& terminal);

}  // namespace scalestudy
