// `run --against`: the study that a question "is it slower than ...?" makes of another one.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The study `of` on two sides that take turns in every block of a session: what `against` names,
// and "here", the program as it is. Its other questions (thresholds, laws, targets, controls) are
// left out. Named "<name>-against-<side>", so that a second call goes on with it.
//   against  "COMMIT" that git knows where the study's program is from; or "NAME=VALUE" (any number
//            of them) or a file of such lines: variables; or "prefix: WORDS...", what stands in
//            front of the program of each rank.
//   throws   Error{kUsage} with what is allowed when it is none of these.
Study study_against(const Study& of, const std::vector<std::string>& against, Terminal& terminal);

}  // namespace scalestudy
