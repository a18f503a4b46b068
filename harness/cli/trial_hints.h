// Where a user finds out why a trial gave no result.
#pragma once

#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// Path of the file that says most about an attempt: its stderr, or its stdout if stderr is empty;
// "" if the store knows no such file.
std::string log_file(const Store& store, std::int64_t trial_id);

// Lines for people: what the program printed first, if its output could not be used; "log: PATH";
// and "by hand: sh PATH", the script that runs the attempt again. A line whose file does not exist
// is left out.
std::vector<std::string> trial_hints(const Store& store, std::int64_t trial_id);

}  // namespace scalestudy
