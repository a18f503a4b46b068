// The secrets that a store knows, for Terminal::hide().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// The values that the studies of the store mark as secret, or marked when a session ran them.
std::vector<std::string> stored_secrets(const Store& store);

// The names of that study's secrets whose values are not known here: stored_secrets() lacks them.
std::vector<std::string> unknown_secrets(const Store& store, std::int64_t study_id);

}  // namespace scalestudy
