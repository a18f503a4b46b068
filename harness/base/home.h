// Keeps a user's name out of paths that are stored or shown.
#pragma once

#include <string>

namespace scalestudy {

// The text with "~" in place of this user's home folder ($HOME) at the start of any path in it.
std::string without_home(std::string text);

}  // namespace scalestudy
