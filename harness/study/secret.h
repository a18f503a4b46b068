// Values that no report, table of a report or reason of a trial shows.
#pragma once

#include <string>
#include <vector>

#include "harness/study/study.h"

namespace scalestudy {

// Of the study's secrets, longest first: those that the study itself gives (env.NAME) and that of
// this process's environment. Values of fewer than 4 characters are none: they stand everywhere.
std::vector<std::string> secret_values(const Study& study);

// `text` with "(secret)" wherever one of the values stands.
std::string masked(std::string text, const std::vector<std::string>& values);

}  // namespace scalestudy
