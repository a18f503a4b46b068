// A study's history as text for people.
#pragma once

#include <string>
#include <vector>

#include "harness/analysis/studies/history.h"
#include "harness/cli/table.h"

namespace scalestudy {

// The cells whose step time changed and what changed with it, the cells without a change, and those
// with too few sessions to tell. `format` is kTable or, for a text that is all Markdown, kMarkdown.
std::string history_text(const Side& all, const History& history, Format format);

// Of which cells no change can be told and why, and which sessions are left out, a sentence each;
// or that there is no cell.
std::vector<std::string> history_notes(const History& history, Format format);

}  // namespace scalestudy
