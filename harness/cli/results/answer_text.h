// The answer of a study as plain text, for the end of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/store/store.h"

namespace scalestudy {

// What the first screen of the study's report says, by its stored results: the answers in
// sentences, the table that they rest on, how far to trust them, and the warnings. "" if no trial
// ended ok.
// - width: where lines are broken; Terminal::columns().
std::string answer_text(const Store& store, std::int64_t study_id, std::size_t width);

}  // namespace scalestudy
