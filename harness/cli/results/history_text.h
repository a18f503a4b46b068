// What a study's history says, for people.
#pragma once

#include <string>

#include "harness/analysis/studies/history.h"
#include "harness/cli/table.h"

namespace scalestudy {

// The changes and what coincides with them, cells without one, and those of too few sessions.
//   format  of the table: kTable or kMarkdown; of Markdown all of it is.
std::string history_text(const Side& all, const History& history, Format format);

}  // namespace scalestudy
