// The secrets that a store knows, for Terminal::hide().
#pragma once

#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// The values that the studies of the store mark as secret, or marked when a session ran them.
std::vector<std::string> stored_secrets(const Store& store);

}  // namespace scalestudy
