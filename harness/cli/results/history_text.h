// A study's history as text for people.
#pragma once

#include <string>

#include "harness/analysis/studies/history.h"
#include "harness/cli/table.h"

namespace scalestudy {

// The cells whose step time changed and what changed with it, the cells without a change, and those
// with too few sessions to tell. `format` is kTable or, for a text that is all Markdown, kMarkdown.
std::string history_text(const Side& all, const History& history, Format format);

}  // namespace scalestudy
